import type { HeaderList } from "../message/message.ts";
import type { Instant } from "../time.ts";

/** A URL group: each message published to it goes to each of its endpoints. */
export interface UrlGroup extends UrlGroupKey {
  /** In the order in which they were added; never empty. */
  readonly endpoints: readonly Endpoint[];
  /** Default headers for messages published to the group; those of the publish override them. */
  readonly headers: HeaderList;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface UrlGroupKey {
  readonly accountId: string;
  readonly name: string;
}

export interface Endpoint {
  readonly url: string;
  readonly name?: string | undefined;
}

/** Selects endpoints by URL, name, or both. */
export interface EndpointChoice {
  readonly url?: string | undefined;
  readonly name?: string | undefined;
}
