/** The answers on the screen: shared by the panels that show them, and asked for no more often than they want. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, mock, test } from "node:test";
import { dashboardModule, page, pass } from "../support/dashboard-modules.ts";

const { call } = await dashboardModule<{
  call: (path: string, options?: object) => Promise<unknown>;
}>("app/api.ts");
const { session } = await dashboardModule<{ session: { value: unknown } }>("app/session.ts");
const { pathSource, sharedAnswer } = await dashboardModule<{
  pathSource: (path: string) => { load: (gone: AbortSignal) => Promise<unknown> };
  sharedAnswer: (path: string) => Shared;
}>("app/resources.ts");

interface Shared {
  readonly answer: {
    readonly value: { readonly value: unknown; readonly error: { readonly status: number } | null };
  };
  readonly watch: (
    load: (gone: AbortSignal) => Promise<unknown>,
    want: { everyMs: number | null; firstAfterMs?: number },
  ) => () => void;
  readonly reload: (withinMs?: number) => void;
}

/** The paths that were asked for, in turn. */
let asked: string[] = [];
let status = 200;
/** What the server waits for before it answers. */
let gate: Promise<void> = Promise.resolve();
const leaving: (() => void)[] = [];

describe("the answers on the screen", () => {
  before(() => mock.timers.enable({ apis: ["setTimeout", "Date"] }));
  after(() => mock.timers.reset());
  beforeEach(() => {
    asked = [];
    status = 200;
    gate = Promise.resolve();
    mock.method(globalThis, "fetch", async (path: string, { method }: { method: string }) => {
      asked.push(method === "GET" ? path : `${method} ${path}`);
      const number = asked.length;
      await gate;
      return Response.json({ number }, { status });
    });
  });
  afterEach(async () => {
    for (const leave of leaving.splice(0)) leave();
    await pass(1_000);
    setHidden(false);
    mock.restoreAll();
  });

  test("panels that show the same path share one request, one answer and one poll", async () => {
    const first = show("/v2/queues", 30_000);
    const second = show("/v2/queues", 5_000);
    await pass(0);
    assert.deepEqual(asked, ["/v2/queues"]);
    assert.equal(first.answer, second.answer);
    assert.deepEqual(first.answer.value.value, { number: 1 });
    await pass(5_000);
    assert.equal(asked.length, 2);
    await pass(30_000);
    assert.equal(asked.length, 8);
  });

  test("a panel that joins later is shown what there is, and asks when that is too old for it", async () => {
    show("/v2/queues", 30_000);
    await pass(4_000);
    const late = show("/v2/queues", 10_000);
    assert.deepEqual(late.answer.value.value, { number: 1 });
    await pass(5_000);
    assert.equal(asked.length, 1);
    await pass(1_000);
    assert.equal(asked.length, 2);
  });

  test("what no panel shows is not asked for, and soon forgotten", async () => {
    const panel = show("/v2/queues", 5_000);
    await pass(0);
    leaving.pop()!();
    assert.equal(sharedAnswer("/v2/queues"), panel);
    await pass(60_000);
    assert.deepEqual(asked, ["/v2/queues"]);
    assert.notEqual(sharedAnswer("/v2/queues"), panel);
  });

  test("a hidden tab polls nothing, and reads anew when it is shown", async () => {
    show("/v2/queues", 5_000);
    show("/v2/keys", null);
    await pass(0);
    setHidden(true);
    await pass(60_000);
    assert.deepEqual(asked, ["/v2/queues", "/v2/keys"]);
    setHidden(false);
    await pass(0);
    assert.deepEqual(asked.slice(2), ["/v2/queues"]);
  });

  test("an action reads again what it changed, and nothing else", async () => {
    for (const path of ["/v2/queues", "/v2/account", "/v2/topics", "/v2/keys"]) show(path, null);
    await pass(0);
    asked = [];
    await call("/v2/queues/orders/pause", { method: "POST" });
    await pass(0);
    assert.deepEqual(asked, ["POST /v2/queues/orders/pause", "/v2/queues", "/v2/account"]);
  });

  test("an action that was refused, and one of many, read nothing again", async () => {
    show("/v2/queues", null);
    await pass(0);
    asked = [];
    await call("/v2/queues/orders", { method: "DELETE", isQuiet: true });
    status = 400;
    await assert.rejects(call("/v2/queues/orders", { method: "DELETE" }));
    await pass(0);
    assert.deepEqual(asked, ["DELETE /v2/queues/orders", "DELETE /v2/queues/orders"]);
  });

  test("an answer on its way when something changes is followed by another", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const panel = show("/v2/queues", null);
    panel.reload();
    panel.reload();
    assert.equal(asked.length, 1);
    resolve();
    await pass(0);
    assert.equal(asked.length, 2);
    assert.deepEqual(panel.answer.value.value, { number: 2 });
  });

  test("many wishes for news within two seconds are one question", async () => {
    const panel = show("/v2/queues", 10_000, 10_000);
    await pass(0);
    for (let batch = 0; batch < 40; batch++) {
      panel.reload(2_000);
      await pass(250);
    }
    assert.equal(asked.length, 5);
  });

  test("what is missing is not polled, and what failed keeps its last answer", async () => {
    const panel = show("/v2/queues", 5_000);
    await pass(0);
    status = 500;
    await pass(5_000);
    assert.deepEqual(panel.answer.value.value, { number: 1 });
    assert.equal(panel.answer.value.error?.status, 500);
    status = 404;
    await pass(5_000);
    await pass(60_000);
    assert.equal(asked.length, 3);
  });

  test("nothing of an account is left for the next person who signs in", async () => {
    const panel = show("/v2/account", 30_000);
    session.value = { kind: "account" };
    await pass(0);
    session.value = null;
    assert.equal(panel.answer.value.value, null);
    assert.notEqual(sharedAnswer("/v2/account"), panel);
  });
});

function show(path: string, everyMs: number | null, firstAfterMs = 0): Shared {
  const shared = sharedAnswer(path);
  leaving.push(shared.watch(pathSource(path).load, { everyMs, firstAfterMs }));
  return shared;
}

function setHidden(isHidden: boolean): void {
  page.hidden = isHidden;
  page.dispatchEvent(new Event("visibilitychange"));
}
