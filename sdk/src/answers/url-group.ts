/** `npm run reference` writes this file from the schemas of the server. */
import type { HeaderLists } from "./words.ts";

export interface UrlGroup {
  /** Its name. */
  readonly name: string;
  /** In the order in which they were added. */
  readonly endpoints: readonly Endpoint[];
  /** When it was created. Unix milliseconds. */
  readonly createdAt: number;
  /** When it was last changed. Unix milliseconds. */
  readonly updatedAt: number;
  /** Default headers of messages to the group. */
  readonly headers?: HeaderLists;
}

export interface Endpoint {
  /** Where messages go. */
  readonly url: string;
  /** A name to find it by. */
  readonly name?: string;
}
