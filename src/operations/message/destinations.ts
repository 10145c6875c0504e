import type { CallbackOptions, PublishOptions } from "../../core/model/message/publish-options.ts";
import { Problem } from "../../core/problem.ts";
import {
  badDestination,
  groupNotFound,
  groupTarget,
  type Target,
  urlTarget,
} from "../../core/rules/message/compose.ts";
import { isId } from "../../wire/headers/header-value.ts";
import type { Context } from "../context.ts";

/**
 * Resolves a destination, and refuses it when the service may not send there. A text that is not a
 * URL is the name of a URL group; only then is the result a promise.
 */
export function requireTarget(
  context: Context,
  accountId: string,
  text: string,
): Target | Promise<Target> {
  const found = urlTarget(text, context.readDestination);
  if (!("problem" in found)) return found;
  return requireGroup(context, accountId, groupName(text, found.problem));
}

async function requireGroup(
  { store, readDestination }: Context,
  accountId: string,
  name: string,
): Promise<Target> {
  const urlGroup = await store.reader.urlGroups.get({ accountId, name });
  if (urlGroup === null) throw groupNotFound(name);
  return groupTarget(urlGroup, readDestination);
}

/** Refuses callbacks to forbidden destinations. */
export function requireCallbacks(context: Context, { settings }: PublishOptions): void {
  const { callback, failureCallback } = settings;
  requireCallback(context, "Callback", callback);
  requireCallback(context, "Failure-Callback", failureCallback);
}

function requireCallback(context: Context, name: string, callback?: CallbackOptions): void {
  const problem = callback && context.readDestination(callback.url).problem;
  if (typeof problem === "string") throw new Problem("invalid-request", `${name}: ${problem}`);
}

function groupName(text: string, problem: string): string {
  if (OFFERED_ELSEWHERE.test(text)) {
    throw badDestination(`${text} is not offered by this service`);
  }
  const name = decoded(text);
  if (name === null || !isId(name)) throw badDestination(problem);
  return name;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const OFFERED_ELSEWHERE = /^api\/(?:llm|email)$/;
