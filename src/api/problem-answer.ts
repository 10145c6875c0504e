import { Problem } from "../core/problem.ts";
import type { Ids } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import { type Answer, json } from "./answer.ts";

/** What a caller is told of an error: the refusal, or for a defect an id that the log knows. */
export function problemAnswer(error: unknown, ids: Ids, log: Log): Answer {
  if (error instanceof Problem) return refusalAnswer(error);
  const defectId = ids.secret(12);
  log.error("unexpected error", { defectId, error });
  return json(500, { error: `internal error ${defectId}; the log tells more`, code: "internal" });
}

export function refusalAnswer({ kind, status, message, retryAfterSeconds }: Problem): Answer {
  const answer = json(status, { error: message, code: kind });
  if (kind === "unauthorized") return { ...answer, headers: ["WWW-Authenticate", "Bearer"] };
  if (retryAfterSeconds === undefined) return answer;
  return { ...answer, headers: ["Retry-After", String(retryAfterSeconds)] };
}
