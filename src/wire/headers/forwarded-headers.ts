import type { HeaderList } from "../../core/model/message/message.ts";
import { canonicalHeaderName } from "../../core/policy/headers/header-name.ts";
import { forwardProblem } from "../../core/policy/headers/header-safety.ts";
import { headerDialect } from "./header-kind.ts";
import { refusal, shownName, trimBlanks } from "./header-value.ts";

/** A header that the publisher asked to have sent, and how it was called in the request. */
export interface Forwarded {
  readonly name: string;
  readonly value: string;
  readonly sentAs: string;
}

/**
 * The headers of one delivery, safe to send and in canonical spelling. What cannot be sent is
 * refused, or dropped for a workflow, whose SDK forwards whatever it received itself.
 */
export function deliveryHeaders(forwarded: readonly Forwarded[], drops: boolean): HeaderList {
  const headers: (readonly [string, string])[] = [];
  let contentTypes = 0;
  for (const { name, value, sentAs } of forwarded) {
    const problem = forwardProblem(name, value);
    if (problem !== null) {
      if (drops) continue;
      throw refusal(`${shownName(sentAs)}: ${withoutName(problem, name)}`);
    }
    if (name.toLowerCase() === "content-type" && ++contentTypes > 1) {
      throw refusal(`${shownName(sentAs)}: is given twice`);
    }
    headers.push([canonicalHeaderName(name), value]);
  }
  return headers;
}

/**
 * With Header-Forward: the request's own headers, save what belongs to the connection, what is
 * ours, the caller's credentials for us, and what an explicit Forward- header replaces.
 */
export function requestHeaders(
  rawHeaders: readonly string[],
  explicit: readonly Forwarded[],
): Forwarded[] {
  const dropped = new Set(["authorization", "host", ...namedByConnection(rawHeaders)]);
  for (const { name } of explicit) dropped.add(name.toLowerCase());
  const forwarded: Forwarded[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    const value = trimBlanks(rawHeaders[index + 1] ?? "");
    if (dropped.has(name.toLowerCase()) || headerDialect(name) !== null) continue;
    if (forwardProblem(name, value) === null) forwarded.push({ name, value, sentAs: name });
  }
  return forwarded;
}

/** The rule names the header at its full length; the request's name for it is already there. */
function withoutName(problem: string, name: string): string {
  const named = `header ${name}: `;
  return problem.startsWith(named)
    ? problem.slice(named.length)
    : "what follows the prefix is not a valid header name";
}

function namedByConnection(rawHeaders: readonly string[]): string[] {
  const names: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== "connection") continue;
    for (const name of (rawHeaders[index + 1] ?? "").split(",")) {
      names.push(trimBlanks(name).toLowerCase());
    }
  }
  return names;
}
