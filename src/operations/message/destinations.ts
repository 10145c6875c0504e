import type { HeaderList } from "../../core/model/message/message.ts";
import type { PublishOptions } from "../../core/model/message/publish-options.ts";
import type { UrlGroup } from "../../core/model/url-group/url-group.ts";
import { Problem } from "../../core/problem.ts";
import type { Recipient } from "../../core/rules/message/compose.ts";
import type { GoodDestination } from "../../core/policy/egress/read-destination.ts";
import type { Context } from "../context.ts";
import { getUrlGroup } from "../url-group/url-groups.ts";

/** The recipients of a publish: one URL, or each endpoint of a URL group. */
export interface Target {
  readonly endpoints: readonly TargetEndpoint[];
  readonly urlGroup?: string | undefined;
  /** The default headers of the group. */
  readonly groupHeaders?: HeaderList | undefined;
}

export type TargetEndpoint = Pick<Recipient, "url" | "host" | "endpointName">;

/**
 * Resolves a destination, and refuses it when the service may not send there. A text that is not a
 * URL is the name of a URL group; only then is the result a promise.
 */
export function requireTarget(
  context: Context,
  accountId: string,
  text: string,
): Target | Promise<Target> {
  const destination = context.readDestination(text);
  if (destination.problem === null) return { endpoints: [{ url: text, host: destination.host }] };
  if (URL_LIKE.test(text)) throw new Problem("invalid-request", destination.problem);
  return requireGroup(context, accountId, groupName(text, destination.problem));
}

async function requireGroup(context: Context, accountId: string, name: string): Promise<Target> {
  return targetOf(context, await getUrlGroup(context, accountId, name));
}

/** The endpoints of a group. One forbidden endpoint refuses the whole publish. */
function targetOf(context: Context, { name, endpoints, headers }: UrlGroup): Target {
  const targetEndpoints = endpoints.map(({ url, name: endpointName }) => ({
    url,
    host: requireDestination(context, url).host,
    endpointName,
  }));
  return { endpoints: targetEndpoints, urlGroup: name, groupHeaders: headers };
}

/** The URL of a message, refused when the service may not send there. */
export function requireDestination(context: Context, url: string): GoodDestination {
  const destination = context.readDestination(url);
  if (destination.problem === null) return destination;
  throw new Problem("invalid-request", destination.problem);
}

/** Refuses callbacks to forbidden destinations. */
export function requireCallbacks(context: Context, options: PublishOptions): void {
  if (options.callback !== undefined) {
    requireCallback(context, "Callback", options.callback.url);
  }
  if (options.failureCallback !== undefined) {
    requireCallback(context, "Failure-Callback", options.failureCallback.url);
  }
}

function requireCallback(context: Context, name: string, url: string): void {
  const { problem } = context.readDestination(url);
  if (problem !== null) throw new Problem("invalid-request", `${name}: ${problem}`);
}

function groupName(text: string, problem: string): string {
  if (OFFERED_ELSEWHERE.test(text)) {
    throw new Problem("invalid-request", `${text} is not offered by this service`);
  }
  const name = decoded(text);
  if (name === null || !GROUP_NAME.test(name)) throw new Problem("invalid-request", problem);
  return name;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const URL_LIKE = /^https?:/i;
const GROUP_NAME = /^[A-Za-z0-9._-]{1,128}$/;
const OFFERED_ELSEWHERE = /^api\/(?:llm|email)$/;
