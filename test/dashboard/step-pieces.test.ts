/** What the waterfall draws and says of a step. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { piecesOf, pieceText, stepLabel } from "../../dashboard/src/workflow/step-pieces.ts";
import type { TimedStep } from "../../dashboard/src/workflow/run-timeline.ts";

type Facts = Partial<Omit<TimedStep, "step">> & { readonly step?: object };
type Attempt = TimedStep["attempts"][number];

test("attempts are work, the gaps between them waiting", () => {
  const step = stepOf({ attempts: [attempt(0, 10, 500), attempt(30, 40, null)], endedAt: 40 });
  assert.deepEqual(drawn(step, 100), ["err 0-10", "hatch-warn 10-30", "ok 30-40"]);
});

test("a step that waits for its retry is hatched up to now, one that runs is alive up to now", () => {
  const retrying = stepOf({ attempts: [attempt(0, 10, 500)], step: { state: "STEP_RETRY" } });
  assert.deepEqual(drawn(retrying, 100), ["err 0-10", "hatch-warn 10-100"]);
  const running = stepOf({ attempts: [attempt(0, null, null)], step: { state: "STEP_PROGRESS" } });
  assert.deepEqual(drawn(running, 100), ["live 0-100"]);
});

test("a sleep is waiting, and what is canceled stops", () => {
  assert.deepEqual(drawn(stepOf({ kind: "sleep", endedAt: 50 }), 100), ["hatch-hold 0-50"]);
  const canceled = {
    attempts: [attempt(0, 10, 500)],
    endedAt: 90,
    step: { state: "STEP_CANCELED" },
  };
  assert.deepEqual(drawn(stepOf(canceled), 100), ["err 0-10", "stop 10-90"]);
});

test("how long it took and what went wrong, in words", () => {
  const failed = [attempt(0, 10, 500), attempt(20, 30, 500), attempt(40, 50, 500)];
  assert.equal(words({ attempts: [attempt(0, 50, null)], endedAt: 50 }), "50 ms");
  assert.equal(
    words({ attempts: [...failed, attempt(60, 70, null)], endedAt: 70 }),
    "500 three times, then done in 70 ms",
  );
  assert.equal(
    words({ attempts: failed, endedAt: 50, step: { state: "STEP_FAILED" } }),
    "500 three times, 50 ms",
  );
  assert.equal(
    words({
      attempts: [attempt(0, 1, 429), attempt(2, 3, 503)],
      endedAt: 3,
      step: { state: "STEP_FAILED" },
    }),
    "429, 503, 3 ms",
  );
  assert.equal(
    words({ kind: "event", endedAt: 50, step: { waitEventId: "packed" } }),
    "50 ms, event packed",
  );
  assert.equal(
    words({ kind: "event", endedAt: 50, step: { waitTimeout: true } }),
    "50 ms, timed out",
  );
});

test("for those who hear the row", () => {
  const failed = stepOf({
    attempts: [attempt(0, 10, 500), attempt(20, 30, 500)],
    endedAt: 30,
    step: { state: "STEP_FAILED" },
  });
  assert.equal(stepLabel(failed), "book, failed after 2 attempts, 30 ms");
  const beside = stepOf({
    kind: "call",
    besides: ["2"],
    attempts: [attempt(0, 10, null)],
    endedAt: 10,
  } as unknown as Facts);
  assert.equal(stepLabel(beside), "book, call, in parallel, succeeded, 10 ms");
  assert.equal(
    stepLabel(stepOf({ kind: "sleep", step: { state: "STEP_PROGRESS" } })),
    "book, sleep, sleeping",
  );
});

function words(facts: Facts): string {
  return pieceText(stepOf(facts), 100).long;
}

function drawn(step: TimedStep, now: number): string[] {
  return piecesOf(step, now).map(({ fill, from, to }) => `${fill} ${from}-${to}`);
}

function attempt(startedAt: number, endedAt: number | null, status: number | null): Attempt {
  const error = status === null ? null : { status, headers: {}, body: "" };
  return { number: 1, startedAt, endedAt, error } as unknown as Attempt;
}

function stepOf({ step, ...facts }: Facts): TimedStep {
  return {
    key: "1",
    name: "book",
    kind: "run",
    step: { state: "STEP_SUCCESS", ...step },
    attempts: [],
    besides: [],
    startedAt: 0,
    endedAt: null,
    ...facts,
  } as unknown as TimedStep;
}
