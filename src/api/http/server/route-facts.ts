import type { ParameterRow } from "../../../wire/filters/filter-parameters.ts";
import type { HeaderCall } from "../../../wire/headers/header.ts";
import type { Schema } from "../../../wire/json/schema.ts";

export type RouteMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "ANY";

/** What is known of a route beside its handler. */
export interface RouteFacts {
  readonly method: RouteMethod;
  /** `{name}` is one segment, `{name+}` one or more of them, `{name...}` all that follows, raw. */
  readonly path: string;
  /** Its name in the reference. */
  readonly title?: string;
  /** The sentence that documents it. */
  readonly says: string;
  /** It creates messages: the limit of the day applies, and not that of a second. */
  readonly publishes?: boolean;
  /** It reads many rows: an account may have a few such requests in progress at once. */
  readonly lists?: boolean;
  /** The parameters of its query. */
  readonly query?: readonly ParameterRow[];
  /** The call whose headers it reads. */
  readonly headers?: HeaderCall;
  /** Its body: JSON of this form, or bytes that are passed on unread. */
  readonly body?: Schema | "bytes";
  /** Its answers by status; null for an empty one. */
  readonly answers?: Readonly<Record<number, Schema | null>>;
  /** An older name or method of another route. */
  readonly isOlder?: boolean;
}
