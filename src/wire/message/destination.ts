import { DIALECTS } from "../../core/model/message/dialect.ts";
import { Problem } from "../../core/problem.ts";
import { headerDialect } from "../headers/header-kind.ts";
import type { Aliases } from "../headers/header-reading.ts";
import { invalidRequest } from "../headers/header-value.ts";
import { decodeQueryText } from "../filters/filter-parameters.ts";

export interface DestinationReading {
  /** As the publisher wrote it: a URL, or the name of a URL group, still encoded. */
  readonly destination: string;
  /** Configuration given in the query. */
  readonly aliases: Aliases;
  /** The token, when the query carries it. */
  readonly token: string | null;
}

const TOKEN_PARAMETERS: readonly string[] = Object.values(DIALECTS).map(
  (dialect) => dialect.tokenParameter,
);
const ENCODED_URL = /^https?%3a%2f%2f/i;
const COLLAPSED_URL = /^https?:\/(?!\/)/i;

/**
 * Reads the destination from the raw request target after the route's prefix. Every byte that is
 * not ours stays unchanged: destinations are signed and compared as text. A refusal names the field.
 */
export function readDestination(rest: string, field = "destination"): DestinationReading {
  const questionAt = rest.indexOf("?");
  if (questionAt < 0) return { destination: readAddress(rest, field), aliases: [], token: null };
  const address = readAddress(rest.slice(0, questionAt), field);
  const { kept, aliases, token } = splitQuery(rest.slice(questionAt + 1));
  if (kept === null) return { destination: address, aliases, token };
  const joint = address.includes("?") ? "&" : "?";
  return { destination: `${address}${joint}${kept}`, aliases, token };
}

function readAddress(text: string, field: string): string {
  const refused = (sentence: string) => Problem.about(field, "invalid-request", sentence);
  if (text === "") throw refused("a non-empty destination must be provided");
  if (COLLAPSED_URL.test(text)) {
    throw refused(
      "invalid destination url: a slash after the scheme is missing; a proxy may have merged it, so send the destination percent-encoded",
    );
  }
  if (!ENCODED_URL.test(text)) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw refused("invalid destination url: is not percent-encoded UTF-8");
  }
}

interface SplitQuery {
  /** The part of the query that belongs to the destination; null when nothing is left. */
  readonly kept: string | null;
  readonly aliases: Aliases;
  readonly token: string | null;
}

function splitQuery(query: string): SplitQuery {
  const kept: string[] = [];
  const aliases: (readonly [string, string])[] = [];
  let token: string | null = null;
  for (const part of query.split("&")) {
    const equalsAt = part.indexOf("=");
    const name = equalsAt < 0 ? part : part.slice(0, equalsAt);
    const rawValue = equalsAt < 0 ? "" : part.slice(equalsAt + 1);
    if (TOKEN_PARAMETERS.includes(name)) {
      if (token !== null) throw invalidRequest(`${name}: the token is given twice`);
      token = decodeToken(rawValue, name);
    } else if (headerDialect(name) !== null) {
      const field = name.toLowerCase();
      aliases.push([decodeQueryText(field, field).toLowerCase(), decodeQueryText(rawValue, field)]);
    } else kept.push(part);
  }
  return { kept: kept.length === 0 ? null : kept.join("&"), aliases, token };
}

/** Tokens are base64, in which a plus is a plus even where a form would mean a blank. */
function decodeToken(rawValue: string, name: string): string {
  return decodeQueryText(rawValue.replaceAll("+", "%2B"), name);
}
