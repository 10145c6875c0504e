import { Problem, type ProblemKind, PROBLEMS, type Rate } from "../../../core/problem.ts";
import type { Ids } from "../../../platform/ids.ts";
import type { Log } from "../../../platform/log.ts";
import type { Json } from "../../../wire/message/message.ts";
import { type Answer, json } from "./answer.ts";

/** The response for an error: the refusal, or for a defect an id that the log contains. */
export function problemAnswer(thrown: unknown, ids: Ids, log: Log): Answer {
  if (thrown instanceof Problem) return refusalAnswer(thrown);
  const defectId = ids.secret(12);
  log.error("unexpected error", { defectId, error: thrown });
  const error = `internal error ${defectId}; the log tells more`;
  const answer = json(500, { error, code: "internal", requestId: defectId });
  return { ...answer, headers: ["X-Request-Id", defectId] };
}

export function refusalAnswer(problem: Problem): Answer {
  const { kind, status, retryAfterSeconds, rate } = problem;
  const answer = json(status, problemJson(problem));
  if (kind === "unauthorized") return { ...answer, headers: ["WWW-Authenticate", "Bearer"] };
  if (retryAfterSeconds === undefined) return answer;
  const headers = ["Retry-After", String(retryAfterSeconds)];
  if (rate !== undefined) headers.push(...rateHeaders(RATE_PREFIXES[kind] ?? "", rate));
  return { ...answer, headers };
}

export function problemJson({ message, kind, field, hint }: Problem): Json {
  return { error: message, code: kind, field, hint };
}

/** How many requests were refused since the start, by code. */
export class RefusalCounts {
  readonly #counts = new Map<string, number>(Object.keys(PROBLEMS).map((kind) => [kind, 0]));

  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  add(kind: ProblemKind): void {
    this.#counts.set(kind, this.#counts.get(kind)! + 1);
  }
}

function rateHeaders(prefix: string, { limit, remaining, resetAtSeconds }: Rate): string[] {
  return [
    `${prefix}RateLimit-Limit`,
    String(limit),
    `${prefix}RateLimit-Remaining`,
    String(remaining),
    `${prefix}RateLimit-Reset`,
    String(resetAtSeconds),
  ];
}

/** Clients take a refusal for the daily limit only when its headers have no prefix. */
const RATE_PREFIXES: Readonly<Partial<Record<ProblemKind, string>>> = { "burst-limit": "Burst-" };
