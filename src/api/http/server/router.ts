import { Problem } from "../../../core/problem.ts";
import { ID_RULE, isId } from "../../../wire/headers/header-value.ts";
import { parametersIn } from "../../reference/path-parameters.ts";
import type { Route } from "./call.ts";

export type RouteMatch =
  | {
      readonly kind: "route";
      readonly route: Route;
      readonly rest: string;
      readonly query: string;
      readonly parameters: readonly string[];
    }
  /** The path is known, but not with this method. */
  | { readonly kind: "methods"; readonly allow: string };

interface Pattern {
  readonly route: Route;
  /** The segments after the head: words in lower case, null for a variable part. */
  readonly segments: readonly (string | null)[];
  /** The path after the segments is taken raw. */
  readonly takesRest: boolean;
  /** Of the variable parts, as the reference calls them. */
  readonly names: readonly string[];
  /** A word that ends the path, after a part that may hold slashes; see verbOf. */
  readonly verb: string | null;
}

/** The variable parts of a target that matches a pattern. */
interface Fit {
  readonly parameters: readonly string[];
  readonly rest: string;
  /** Of the first parameter that must be an id and is none; -1 when there is none such. */
  readonly badIdAt: number;
}

export type Router = (method: string, target: string) => RouteMatch;

/**
 * Finds routes on the raw request target: destinations in the path are URLs, which a router that
 * decodes or merges slashes would spoil. Fixed words are matched in any case.
 */
export function createRouter(routes: readonly Route[]): Router {
  const patternsByHead = new Map<string, Pattern[]>();
  for (const route of routes) {
    const { head, pattern } = compile(route);
    const known = patternsByHead.get(head);
    if (known === undefined) patternsByHead.set(head, [pattern]);
    else known.push(pattern);
  }
  return (method, target) => {
    const questionAt = target.indexOf("?");
    const path = questionAt < 0 ? target : target.slice(0, questionAt);
    const head = headOf(path);
    const patterns = patternsByHead.get(head);
    if (patterns === undefined) throw noSuchPath();
    const query = questionAt < 0 ? "" : target.slice(questionAt + 1);
    return choose(patterns, method, path.slice(head.length), target.slice(head.length + 1), query);
  };
}

function choose(
  patterns: readonly Pattern[],
  method: string,
  path: string,
  rest: string,
  query: string,
): RouteMatch {
  const wanted = method === "HEAD" ? "GET" : method;
  const allow = new Set<string>();
  let badId: string | undefined;
  for (const pattern of patterns) {
    const fit = fitOf(pattern, path, rest);
    if (fit === null) continue;
    const { route } = pattern;
    const isWanted = route.method === wanted || (route.method === "ANY" && method !== "OPTIONS");
    const { badIdAt, ...found } = fit;
    if (isWanted && badIdAt < 0) return { kind: "route", route, query, ...found };
    // A text that is not an id may still be the beginning of a destination.
    if (isWanted) badId = pattern.names[badIdAt]!;
    allow.add(route.method);
  }
  if (badId !== undefined) throw notAnId(badId);
  if (allow.size === 0) throw noSuchPath();
  if (allow.has("GET")) allow.add("HEAD");
  return { kind: "methods", allow: [...allow, "OPTIONS"].join(", ") };
}

/** `/v2/<word>` in lower case, or the first word outside of it. */
function headOf(path: string): string {
  const firstEnd = path.indexOf("/", 1);
  if (firstEnd < 0) return path.toLowerCase();
  const first = path.slice(0, firstEnd).toLowerCase();
  if (first !== "/v2") return first;
  const secondEnd = path.indexOf("/", firstEnd + 1);
  return (secondEnd < 0 ? path : path.slice(0, secondEnd)).toLowerCase();
}

function compile(route: Route): { head: string; pattern: Pattern } {
  const head = headOf(route.path);
  const words = route.path.slice(head.length).split("/").filter(Boolean);
  const names = parametersIn(route.path);
  const takesRest = words.at(-1)?.endsWith("...}") ?? false;
  if (takesRest) words.pop();
  const segments = words.map((word) => (word.startsWith("{") ? null : word));
  return { head, pattern: { route, segments, takesRest, names, verb: verbOf(words) } };
}

/** `{name+}` is a part that may hold slashes, `/word` after it is matched from the right. */
function verbOf(words: readonly string[]): string | null {
  const at = words.findIndex((word) => word.endsWith("+}"));
  return at < 0
    ? null
    : words.slice(at + 1).reduce((verb, word) => `${verb}/${word.toLowerCase()}`, "");
}

/** Null when the path does not match. A trailing slash is ignored, except before a raw rest. */
function fitOf({ segments, takesRest, verb }: Pattern, path: string, rest: string): Fit | null {
  if (verb !== null) return fitBeforeVerb(verb, path, rest);
  if (takesRest) return fitBeforeRest(segments, path, rest);
  // A caller may send thousands of slashes: no more are read than tell that there are too many.
  const given = path.split("/", segments.length + 3).slice(1);
  if (given.at(-1) === "") given.pop();
  const parameters = parametersOf(segments, given);
  return parameters === null ? null : { parameters, rest, badIdAt: badIdIn(parameters) };
}

/** The part between the head and the verb is one parameter, raw. */
function fitBeforeVerb(verb: string, path: string, rest: string): Fit | null {
  if (path.length < 2 || !path.toLowerCase().endsWith(verb)) return null;
  const given = path.slice(1, path.length - verb.length);
  return { parameters: [given], rest, badIdAt: -1 };
}

function fitBeforeRest(
  segments: readonly (string | null)[],
  path: string,
  rest: string,
): Fit | null {
  if (segments.length === 0) return { parameters: NO_PARAMETERS, rest, badIdAt: -1 };
  const given: string[] = [];
  let end = 0;
  for (let count = 0; count < segments.length && end < path.length; count++) {
    const start = end + 1;
    const slashAt = path.indexOf("/", start);
    end = slashAt < 0 ? path.length : slashAt;
    given.push(path.slice(start, end));
  }
  const parameters = parametersOf(segments, given);
  if (parameters === null) return null;
  // The rest has no leading slash, and none is left before the part after the segments.
  const after = end === path.length ? end - 1 : end;
  return {
    parameters,
    rest: rest.slice(after),
    badIdAt: badIdIn(parameters),
  };
}

function badIdIn(parameters: readonly string[]): number {
  return parameters.findIndex((text) => !isId(text));
}

function parametersOf(
  segments: readonly (string | null)[],
  given: readonly string[],
): readonly string[] | null {
  if (given.length !== segments.length) return null;
  const parameters: string[] = [];
  for (const [index, segment] of segments.entries()) {
    if (segment === null) parameters.push(given[index]!);
    else if (given[index]!.toLowerCase() !== segment) return null;
  }
  return parameters;
}

function notAnId(name: string): Problem {
  const sentence = `the id in the path must be ${ID_RULE}`;
  return Problem.about(name, "invalid-request", sentence);
}

function noSuchPath(): Problem {
  return new Problem("not-found", "this path is not served here; /docs lists those that are");
}

const NO_PARAMETERS: readonly string[] = [];
