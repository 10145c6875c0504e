import type { HeaderList, Instant } from "../message/message.ts";

/** A URL group: what is published to it goes to each of its endpoints. */
export interface UrlGroup extends UrlGroupKey {
  /** In the order in which they were added; never empty. */
  readonly endpoints: readonly Endpoint[];
  /** Configuration headers for what is published to the group and does not say otherwise. */
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

/** Names endpoints by their URL, their name, or both. */
export interface EndpointChoice {
  readonly url?: string | undefined;
  readonly name?: string | undefined;
}
