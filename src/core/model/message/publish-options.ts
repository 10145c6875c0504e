import type { DialectChoice, FlowControl, HeaderList, HttpMethod, Redaction } from "./message.ts";
import type { Instant } from "../time.ts";

/** The settings in a publisher's headers, read and checked, before the account's defaults. */
export interface PublishOptions {
  readonly dialect: DialectChoice;
  readonly method?: HttpMethod | undefined;
  /** Content-Type and forwarded headers, safe to send. */
  readonly headers: HeaderList;
  readonly timeoutMs?: number | undefined;
  readonly retries?: number | undefined;
  readonly retryDelay?: string | undefined;
  readonly delayMs?: number | undefined;
  /** Overrides delayMs. */
  readonly notBefore?: Instant | undefined;
  readonly callback?: CallbackOptions | undefined;
  readonly failureCallback?: CallbackOptions | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly redact?: Redaction | undefined;
  readonly deduplicationId?: string | undefined;
  readonly contentBasedDeduplication?: boolean | undefined;
  readonly flowControl?: FlowControl | undefined;
  readonly hops?: number | undefined;
}

export interface CallbackOptions {
  readonly url: string;
  readonly method?: HttpMethod | undefined;
  readonly headers: HeaderList;
  readonly timeoutMs?: number | undefined;
  readonly retries?: number | undefined;
  readonly retryDelay?: string | undefined;
  readonly delayMs?: number | undefined;
  readonly flowControl?: FlowControl | undefined;
}
