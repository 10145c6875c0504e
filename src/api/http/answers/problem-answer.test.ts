import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem, PROBLEMS } from "../../../core/problem.ts";
import type { Ids } from "../../../platform/ids.ts";
import type { Log } from "../../../platform/log.ts";
import { problemAnswer, RefusalCounts, refusalAnswer } from "./problem-answer.ts";

const RATE = { limit: 100, remaining: 0, resetAtSeconds: 1_700_000_000 };

test("a refusal says its sentence, code, field and hint, with its status", () => {
  const { status, body, headers } = refusalAnswer(new Problem("not-found", "name: is unknown"));
  assert.equal(status, 404);
  assert.deepEqual(JSON.parse(body as string), {
    error: "name: is unknown",
    code: "not-found",
    field: "name",
  });
  assert.equal(headers, undefined);
});

test("a caller without a token is told which kind is needed", () => {
  const { headers, body } = refusalAnswer(new Problem("unauthorized", "no token", 5));
  const { hint } = JSON.parse(body as string) as { hint: string };
  assert.equal(hint, PROBLEMS.unauthorized.hint);
  assert.deepEqual(headers, ["WWW-Authenticate", "Bearer"]);
});

function rateHeaders(prefix: string): string[] {
  const name = `${prefix}RateLimit`;
  return [`${name}-Limit`, "100", `${name}-Remaining`, "0", `${name}-Reset`, "1700000000"];
}

test("a caller that may come back is told when, and clients know a daily limit by its headers", () => {
  const busy = refusalAnswer(new Problem("overloaded", "busy", 7));
  assert.deepEqual(busy.headers, ["Retry-After", "7"]);
  const daily = refusalAnswer(new Problem("daily-limit", "enough", 9, RATE));
  assert.deepEqual(daily.headers, ["Retry-After", "9", ...rateHeaders("")]);
  const burst = refusalAnswer(new Problem("burst-limit", "too fast", 1, RATE));
  assert.deepEqual(burst.headers, ["Retry-After", "1", ...rateHeaders("Burst-")]);
});

test("a defect is logged with an id that is all the caller learns", () => {
  const logged: unknown[] = [];
  const log = { error: (event: string, fields: object) => logged.push([event, fields]) };
  const ids = { secret: (length: number) => "x".repeat(length) };
  const error = new Error("SELECT secret FROM accounts");
  const answer = problemAnswer(error, ids as Ids, log as unknown as Log);
  const defectId = "x".repeat(12);
  assert.equal(answer.status, 500);
  assert.deepEqual(answer.headers, ["X-Request-Id", defectId]);
  assert.deepEqual(JSON.parse(answer.body as string), {
    error: `internal error ${defectId}; the log tells more`,
    code: "internal",
    requestId: defectId,
  });
  assert.deepEqual(logged, [["unexpected error", { defectId, error }]]);
  const refused = problemAnswer(
    new Problem("not-found", "gone"),
    ids as Ids,
    log as unknown as Log,
  );
  assert.equal(refused.status, 404);
  assert.equal(logged.length, 1);
});

test("refusals are counted by their code, from none of each", () => {
  const refusals = new RefusalCounts();
  refusals.add("not-found");
  refusals.add("not-found");
  const expected = Object.keys(PROBLEMS).map((kind) => [kind, kind === "not-found" ? 2 : 0]);
  assert.deepEqual([...refusals.counts], expected);
});
