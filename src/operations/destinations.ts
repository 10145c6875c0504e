import { Problem } from "../core/problem.ts";
import type { PublishOptions } from "../core/model/publish-options.ts";
import type { Recipient } from "../core/rules/compose.ts";
import type { GoodDestination } from "../core/rules/read-destination.ts";
import type { Context } from "./context.ts";

/** Where a publish goes: to one URL, or to each endpoint of a URL group. */
export interface Target {
  readonly places: readonly Place[];
  readonly topicName?: string | undefined;
}

export type Place = Pick<Recipient, "url" | "host" | "endpointName">;

/** Finds out where a destination leads, and refuses it when we may not send there. */
export function requireTarget(context: Context, text: string): Target {
  const { host } = requireDestination(context, text);
  return { places: [{ url: text, host }] };
}

/** The URL of a message, once it is known that we may send there. */
export function requireDestination(context: Context, text: string): GoodDestination {
  const destination = context.readDestination(text);
  if (destination.problem === null) return destination;
  throw URL_LIKE.test(text)
    ? new Problem("invalid-request", destination.problem)
    : notAUrl(text, destination.problem);
}

/** Refuses callbacks to where we would not send. */
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

/** What is no URL is the name of a URL group; groups are still to come, so none is found. */
function notAUrl(text: string, problem: string): Problem {
  if (OFFERED_ELSEWHERE.test(text)) {
    return new Problem("invalid-request", `${text} is not offered by this service`);
  }
  const name = decoded(text);
  return name !== null && GROUP_NAME.test(name)
    ? new Problem("not-found", `topic ${name} not found`)
    : new Problem("invalid-request", problem);
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
