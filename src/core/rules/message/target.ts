import type { HeaderList } from "../../model/message/message.ts";
import type { UrlGroup } from "../../model/url-group/url-group.ts";
import type {
  BadDestination,
  GoodDestination,
  ReadDestination,
} from "../../policy/egress/read-destination.ts";
import { Problem } from "../../problem.ts";
import type { Recipient } from "./compose.ts";

/** The recipients of a publish: one URL, or each endpoint of a URL group. */
export interface Target {
  readonly endpoints: readonly TargetEndpoint[];
  readonly urlGroup?: string | undefined;
  /** The default headers of the group. */
  readonly groupHeaders?: HeaderList | undefined;
}

export type TargetEndpoint = Pick<Recipient, "url" | "host" | "endpointName">;

/** The target of a URL. A text that is none, and so may name a URL group, is a bad destination. */
export function urlTarget(text: string, read: ReadDestination): Target | BadDestination {
  const destination = read(text);
  if (destination.problem === null) return { endpoints: [{ url: text, host: destination.host }] };
  if (URL_LIKE.test(text)) throw new Problem("invalid-request", destination.problem);
  return destination;
}

/** The endpoints of a group. One forbidden endpoint refuses the whole publish. */
export function groupTarget({ name, endpoints, headers }: UrlGroup, read: ReadDestination): Target {
  const targetEndpoints = endpoints.map(({ url, name: endpointName }) => ({
    url,
    host: requireDestination(url, read).host,
    endpointName,
  }));
  return { endpoints: targetEndpoints, urlGroup: name, groupHeaders: headers };
}

export function groupNotFound(name: string): Problem {
  return new Problem("not-found", `topic ${name} not found`);
}

/** The URL of a message, refused when the service may not send there. */
export function requireDestination(url: string, read: ReadDestination): GoodDestination {
  const destination = read(url);
  if (destination.problem === null) return destination;
  throw new Problem("invalid-request", destination.problem);
}

/** The endpoints of a target, each with the id of its message. */
export function recipientsOf({ endpoints }: Target, newId: () => string): Recipient[] {
  return endpoints.map((endpoint) => ({ ...endpoint, messageId: newId() }));
}

const URL_LIKE = /^https?:/i;
