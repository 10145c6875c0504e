/** When the steps of a run began and ended, and where that lies on a line. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { RunEvent } from "../../dashboard/src/answers/workflow.ts";
import type { Run, StepLog } from "../../sdk/src/answers/workflow.ts";
import { standsAt, stateOf } from "../../dashboard/src/workflow/run-state.ts";
import { timelineOf } from "../../dashboard/src/workflow/run-timeline.ts";
import { hasLongWaits, timeScale } from "../../dashboard/src/workflow/time-scale.ts";
import { rowsOf } from "../../dashboard/src/workflow/waterfall-rows.ts";

const START = 1_000_000;

function step(
  stepId: number,
  stepType: string,
  createdAt: number,
  more: Partial<StepLog> = {},
): StepLog {
  const messageId = `m${stepId}`;
  return {
    stepId,
    stepName: `step ${stepId}`,
    stepType,
    messageId,
    state: "STEP_SUCCESS",
    createdAt,
    ...more,
  };
}

function run(steps: readonly (readonly StepLog[])[], more: Partial<Run> = {}): Run {
  const init = { ...step(0, "Initial", START), stepName: "init" };
  return {
    workflowRunId: "wfr_1",
    workflowUrl: "https://app.example/flow",
    workflowState: "RUN_STARTED",
    workflowRunCreatedAt: START,
    workflowRunCallerIp: "127.0.0.1",
    steps: [[init], ...steps].map((group) => ({
      type: group.length > 1 ? "parallel" : "sequential",
      steps: group,
    })),
    ...more,
  };
}

function made(stepId: number, time: number, more: Partial<RunEvent> = {}): RunEvent {
  const messageId = `m${stepId}`;
  return {
    time,
    state: "STEP_PROGRESS",
    messageId,
    workflowRunId: "wfr_1",
    workflowUrl: "https://app.example/flow",
    workflowCreatedAt: START,
    callerIp: "127.0.0.1",
    ...more,
  };
}

describe("the times of a run", () => {
  test("a step in sequence lasts from the end of the one before it to its result", () => {
    const log = run([[step(1, "Run", START + 100)], [step(2, "Run", START + 250)]]);
    const events = [
      made(0, START),
      made(1, START + 100),
      made(2, START + 250),
      made(1, START + 140, {
        state: "STEP_RETRY",
        nextDeliveryTime: START + 200,
        responseStatus: 500,
      }),
    ];
    const [first, second] = timelineOf(log, events);
    assert.deepEqual([first?.startedAt, first?.endedAt], [START, START + 100]);
    assert.deepEqual([second?.startedAt, second?.endedAt], [START + 100, START + 250]);
    assert.deepEqual(
      second?.attempts.map(({ startedAt, endedAt, error }) => [startedAt, endedAt, error?.status]),
      [
        [START + 100, START + 140, 500],
        [START + 200, START + 250, undefined],
      ],
    );
  });

  test("calls and steps in parallel begin when they are made, and end with their result", () => {
    const log = run([
      [step(1, "Call", START + 50)],
      [step(2, "Run", START + 400), step(3, "Run", START + 400)],
    ]);
    const events = [made(1, START + 390), made(2, START + 500), made(3, START + 700)];
    const spans = timelineOf(log, events).map(({ startedAt, endedAt, place }) => [
      startedAt - START,
      endedAt! - START,
      place,
    ]);
    assert.deepEqual(spans, [
      [50, 390, "alone"],
      [400, 500, "first"],
      [400, 700, "last"],
    ]);
  });

  test("what waits says for what, and until when", () => {
    const asleep = step(1, "SleepFor", START, {
      state: "STEP_PROGRESS",
      nextDeliveryTime: START + 3_600_000,
    });
    assert.equal(stateOf(run([[asleep]])), "sleeping");
    assert.match(standsAt(run([[asleep]]), START + 1_000), /^wakes in 59 min, /);
    const waits = step(1, "Wait", START, {
      state: "STEP_PROGRESS",
      waitEventId: "packed",
      waitTimeoutDeadline: START + 60_000,
    });
    assert.equal(stateOf(run([[waits]])), "waiting-for-event");
    assert.equal(standsAt(run([[waits]]), START), "packed, 1 min left");
  });

  test("more than 200 steps are folded, but not the last ones nor what failed", () => {
    const groups = Array.from({ length: 300 }, (_, index) => [
      step(index + 1, "Run", START + index, index === 100 ? { state: "STEP_FAILED" } : {}),
    ]);
    const steps = timelineOf(run(groups), []);
    const rows = rowsOf({ steps, children: new Map(), failure: undefined, turned: new Set() });
    assert.ok(rows.length < 40, String(rows.length));
    assert.ok(rows.some(({ key }) => key === "101"));
    assert.equal(rows.at(-1)?.key, "300");
    const fold = rows[0]!.key;
    const open = rowsOf({
      steps,
      children: new Map(),
      failure: undefined,
      turned: new Set([fold]),
    });
    assert.equal(open.length, rows.length + 50);
  });
});

describe("the scale of time", () => {
  /** Of a window of 1440 px with the panel open, measured in a browser. */
  const AXIS_PX = 508;
  const CHARACTER_PX = 7.3;
  const domain = { from: 0, to: 601_000 };
  const work = [
    { from: 0, to: 500 },
    { from: 600_500, to: 601_000 },
  ];

  test("a long wait is drawn short and marked, the work keeps its proportions", () => {
    assert.equal(hasLongWaits(domain, work), true);
    const { x, skips } = timeScale(domain, work, true);
    assert.equal(skips.length, 1);
    assert.ok(skips[0]!.width < 50);
    assert.ok(Math.abs(x(500) - (x(601_000) - x(600_500))) < 0.001);
    assert.equal(x(601_000), 100);
  });

  test("true to scale nothing is marked", () => {
    const { x, skips } = timeScale(domain, work, false);
    assert.deepEqual(skips, []);
    assert.ok(Math.abs(x(300_500) - 50) < 0.001);
  });

  test("ticks are in order and apart", () => {
    for (const isShortened of [true, false]) {
      const { ticks } = timeScale(domain, work, isShortened);
      const places = ticks.map(({ x }) => x);
      assert.deepEqual(
        places,
        places.toSorted((one, other) => one - other),
      );
      assert.equal(ticks[0]?.text, "0");
      assert.equal(ticks.at(-1)?.text, "+10 min 1 s");
    }
  });

  test("no text of the axis touches another where it is narrowest beside the panel", () => {
    const characterWidth = (100 * CHARACTER_PX) / AXIS_PX;
    for (let stepMs = 90; stepMs < 3_000; stepMs += 10) {
      const { ticks } = timeScale({ from: 0, to: stepMs * 7 }, [], false);
      const inner = ticks.slice(1, -1);
      for (const [index, { x, text }] of inner.slice(1).entries()) {
        const before = inner[index]!;
        const room = x - before.x - ((text.length + before.text.length) / 2) * characterWidth;
        assert.ok(room > 0, `${before.text} and ${text} in ${stepMs * 7} ms`);
      }
    }
  });

  test("an instant is told apart from the length of a wait that is drawn short", () => {
    const { ticks } = timeScale(domain, work, true);
    const [start, ...others] = ticks.map(({ text }) => text);
    assert.equal(start, "0");
    assert.deepEqual(
      others.filter((text) => !text.startsWith("+")),
      ["↔ 10 min"],
    );
    const whole = timeScale(domain, work, false).ticks.map(({ text }) => text);
    assert.ok(whole.slice(1).every((text) => text.startsWith("+")));
  });

  test("no two instants have the same text", () => {
    const short = { from: 0, to: 1_437 };
    const { ticks } = timeScale(
      short,
      [
        { from: 0, to: 270 },
        { from: 1_270, to: 1_437 },
      ],
      true,
    );
    const texts = ticks.map(({ text }) => text);
    assert.equal(texts.at(-1), "+1.4 s");
    assert.deepEqual(texts, [...new Set(texts)]);
  });
});
