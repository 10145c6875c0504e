import type { HeaderList } from "../../core/model/message/message.ts";
import { canonicalHeaderName } from "../../core/policy/headers/header-name.ts";
import { forwardProblem } from "../../core/policy/headers/header-safety.ts";
import { headerDialect } from "./header-kind.ts";
import { shownName } from "../../core/shown-name.ts";
import { invalidRequest, trimBlanks } from "./header-value.ts";

/** A header to forward, and its name in the request. */
export interface Forwarded {
  readonly name: string;
  readonly value: string;
  readonly sentAs: string;
}

/**
 * The headers of one delivery, safe to send and in canonical spelling. An invalid header is
 * refused, or dropped for a workflow, whose SDK forwards all headers it received.
 */
export function deliveryHeaders(forwarded: readonly Forwarded[], drops: boolean): HeaderList {
  const headers: (readonly [string, string])[] = [];
  let contentTypes = 0;
  for (const { name, value, sentAs } of forwarded) {
    const problem = forwardProblem(name, value);
    if (problem !== null) {
      if (drops) continue;
      throw invalidRequest(`${shownName(sentAs)}: ${withoutName(problem, name)}`);
    }
    if (name.toLowerCase() === "content-type" && ++contentTypes > 1) {
      throw invalidRequest(`${shownName(sentAs)}: is given twice`);
    }
    headers.push([canonicalHeaderName(name), value]);
  }
  return headers;
}

/**
 * With Header-Forward: the request's own headers, except those of the connection, ours, the
 * caller's credentials, and those that an explicit Forward- header replaces.
 */
export function requestHeaders(
  rawHeaders: readonly string[],
  explicit: readonly Forwarded[],
): Forwarded[] {
  const dropped = new Set(["authorization", "host", ...namedByConnection(rawHeaders)]);
  for (const { name } of explicit) dropped.add(name.toLowerCase());
  const forwarded: Forwarded[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    const value = trimBlanks(rawHeaders[index + 1]!);
    if (dropped.has(name.toLowerCase()) || headerDialect(name) !== null) continue;
    if (forwardProblem(name, value) === null) forwarded.push({ name, value, sentAs: name });
  }
  return forwarded;
}

/** The problem repeats the header's full name; the request's name for it is already there. */
function withoutName(problem: string, name: string): string {
  const named = `header ${name}: `;
  return problem.startsWith(named)
    ? problem.slice(named.length)
    : "what follows the prefix is not a valid header name";
}

function namedByConnection(rawHeaders: readonly string[]): string[] {
  const names: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]!.toLowerCase() !== "connection") continue;
    for (const name of rawHeaders[index + 1]!.split(",")) {
      names.push(trimBlanks(name).toLowerCase());
    }
  }
  return names;
}
