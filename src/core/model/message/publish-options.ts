import type { Instant } from "../time.ts";
import type { Callback, DialectChoice, HeaderList, HttpMethod, Settings } from "./message.ts";

/** A publisher's headers, read and checked, before the account's defaults. */
export interface PublishOptions {
  readonly dialect: DialectChoice;
  readonly method?: HttpMethod | undefined;
  /** Content-Type and forwarded headers, safe to send. */
  readonly headers: HeaderList;
  readonly settings: GivenSettings;
  readonly delayMs?: number | undefined;
  /** Overrides delayMs. */
  readonly notBefore?: Instant | undefined;
  readonly deduplicationId?: string | undefined;
  readonly contentBasedDeduplication?: boolean | undefined;
  readonly hops?: number | undefined;
}

export interface GivenSettings extends Given<Omit<Settings, "callback" | "failureCallback">> {
  readonly callback?: CallbackOptions | undefined;
  readonly failureCallback?: CallbackOptions | undefined;
}

export type CallbackOptions = Pick<Callback, "url" | "headers"> &
  Given<Omit<Callback, "url" | "headers">>;

/** Parts of it; what is undefined is not given. */
export type Given<Type> = { readonly [Key in keyof Type]?: Type[Key] | undefined };
