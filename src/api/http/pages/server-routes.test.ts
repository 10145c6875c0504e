import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { Problem, PROBLEMS } from "../../../core/problem.ts";
import type { Answer } from "../answers/answer.ts";
import type { Api, ServicePhase } from "../server/call.ts";
import { SERVER_ROUTES } from "./server-routes.ts";

interface State {
  readonly phase?: ServicePhase;
  readonly isDiskLow?: boolean;
  readonly isDiskFull?: boolean;
  readonly isStandbyMissing?: boolean;
  readonly store?: () => Promise<void>;
}

async function answerOf(path: string, api: Api): Promise<Answer> {
  const route = SERVER_ROUTES.find((row) => row.path === path) as unknown as {
    readonly handler: (api: Api) => Answer | Promise<Answer>;
  };
  return route.handler(api);
}

function ask(state: State, clock = new ManualClock()) {
  const context = {
    clock,
    isDiskLow: () => state.isDiskLow === true,
    isStandbyMissing: () => state.isStandbyMissing === true,
    store: {
      isDiskFull: state.isDiskFull === true,
      requireWritable: state.store ?? (() => Promise.resolve()),
    },
  };
  const api = { clock, context, phase: () => state.phase ?? "ready" } as unknown as Api;
  return answerOf("/readyz", api);
}

async function refusal(state: State) {
  const problem: unknown = await ask(state).catch((error: unknown) => error);
  assert.ok(problem instanceof Problem);
  const { status, message, retryAfterSeconds, hint } = problem;
  return { status, message, retryAfterSeconds, hint };
}

test("a server that accepts work is ready, and waits for nothing more", async () => {
  const clock = new ManualClock();
  const { status, body } = await ask({}, clock);
  assert.equal(status, 200);
  assert.deepEqual(JSON.parse(body as string), { status: "ready", ready: true });
});

test("a server that runs is alive, whatever else it is", async () => {
  const { status, body } = await answerOf("/healthz", {} as Api);
  assert.equal(status, 200);
  assert.deepEqual(JSON.parse(body as string), { status: "ok" });
});

for (const phase of ["starting", "draining", "leaving"] as const) {
  test(`a server that is ${phase} is not ready`, async () => {
    const { status, message, retryAfterSeconds } = await refusal({ phase });
    assert.deepEqual([status, retryAfterSeconds], [503, 1]);
    assert.match(message, /starting or stopping/);
  });
}

test("little disk space, or none, is told with what the operator can do", async () => {
  for (const state of [{ isDiskLow: true }, { isDiskFull: true }]) {
    const { status, message, retryAfterSeconds, hint } = await refusal(state);
    assert.deepEqual([status, retryAfterSeconds], [503, 30]);
    assert.match(message, /little disk space/);
    assert.equal(hint, PROBLEMS["disk-low"].hint);
  }
});

test("a missing standby is told", async () => {
  const { status, message, retryAfterSeconds } = await refusal({ isStandbyMissing: true });
  assert.deepEqual([status, retryAfterSeconds], [503, 5]);
  assert.match(message, /no synchronous standby/);
});

test("a store that refuses, or is silent for two seconds, is told", async () => {
  const expected = {
    status: 503,
    message: "the store does not answer, or takes no writes",
    retryAfterSeconds: 5,
    hint: "the log of the server says why",
  };
  assert.deepEqual(
    await refusal({ store: () => Promise.reject(new Error("read-only")) }),
    expected,
  );
  const clock = new ManualClock();
  let isOver = false;
  const asking = ask({ store: () => new Promise(() => undefined) }, clock).finally(() => {
    isOver = true;
  });
  clock.advance(1_999);
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(!isOver);
  clock.advance(1);
  await assert.rejects(asking, Problem);
});
