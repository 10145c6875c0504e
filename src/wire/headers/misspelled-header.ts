/** Names that are almost ours. A misspelled header that is ignored would lose its setting. */

import { DIALECTS } from "../../core/model/message/dialect.ts";
import { canonicalHeaderName } from "../../core/policy/headers/header-name.ts";
import { isOneOff, nearestName } from "../../core/nearest-name.ts";
import { WORKFLOW_HEADERS } from "../workflow/workflow-headers.ts";
import { shownName } from "../../core/shown-name.ts";
import { HEADER_FAMILIES, HEADERS, headerRowByName } from "./header.ts";

/**
 * Why a header of others is refused, or null. Its prefix must be one letter off, and the rest must
 * be a name of ours: any other header belongs to its sender.
 */
export function misspelledPrefix(name: string): string | null {
  const dashAt = name.indexOf("-");
  // Most names end here: no name of others is compared with ours.
  if (dashAt < SHORTEST_PREFIX || dashAt > LONGEST_PREFIX) return null;
  const word = name.slice(0, dashAt).toLowerCase();
  if (word === "sec") return null;
  const meant = KNOWN_DIALECTS.find((dialect) => isOneOff(word, dialect.name));
  if (meant === undefined) return null;
  const rest = name.slice(dashAt + 1).toLowerCase();
  return isOurs(rest) ? unknown(name, `${meant.prefix}${spelled(rest)}`) : null;
}

/** Why a header with our prefix is refused. */
export function unknownHeader(sentAs: string, suffix: string): string {
  const hint = HINTS.get(suffix);
  if (hint !== undefined) return `${shownName(sentAs)}: ${hint}`;
  const prefix = sentAs.slice(0, sentAs.length - suffix.length);
  const meant = nearest(suffix);
  return unknown(sentAs, meant && `${prefix}${meant}`);
}

function unknown(name: string, meant: string | undefined): string {
  const hint = meant === undefined ? "" : `; the nearest one is ${shownName(meant)}`;
  return `${shownName(name)}: is not a header of this service${hint}`;
}

function nearest(suffix: string): string | undefined {
  const dashAt = suffix.indexOf("-");
  // Its name ends as the publisher likes.
  if (dashAt > 0 && isOneOff(suffix.slice(0, dashAt), "forward")) {
    return `Forward${canonicalHeaderName(suffix.slice(dashAt))}`;
  }
  return nearestName(suffix, KNOWN_NAMES);
}

function isOurs(rest: string): boolean {
  if (headerRowByName.has(rest) || WORKFLOW_NAMES.has(rest)) return true;
  return HEADER_FAMILIES.some(
    ({ prefix }) => rest.startsWith(prefix) && rest.length > prefix.length,
  );
}

function spelled(rest: string): string {
  return headerRowByName.get(rest)?.name ?? WORKFLOW_NAMES.get(rest) ?? canonicalHeaderName(rest);
}

/** Headers that have a meaning in other requests, where ignoring them would lose the setting. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ["cron", "is only read by /v2/schedules"],
  ["queue-name", "is only read by /v2/schedules; a queue is named in the path of /v2/enqueue"],
]);

const WORKFLOW_NAMES: ReadonlyMap<string, string> = new Map(
  WORKFLOW_HEADERS.map(({ name }) => [name.toLowerCase(), name]),
);
const KNOWN_NAMES = [...HEADERS, ...WORKFLOW_HEADERS].map(({ name }) => name);
const KNOWN_DIALECTS = Object.values(DIALECTS);
const SHORTEST_PREFIX = DIALECTS.svc.name.length - 1;
const LONGEST_PREFIX = DIALECTS.upstash.name.length + 1;
