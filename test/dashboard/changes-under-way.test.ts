/** A change that is asked for again before the server has answered is sent once. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import { dashboardModule } from "../support/dashboard-modules.ts";

interface Options {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

const { call } = await dashboardModule<{
  call: (path: string, options?: Options) => Promise<unknown>;
}>("app/api.ts");

let waiting: PromiseWithResolvers<Response>[] = [];

describe("a change under way", () => {
  beforeEach(() => {
    waiting = [];
    mock.method(globalThis, "fetch", () => {
      const answer = Promise.withResolvers<Response>();
      waiting.push(answer);
      return answer.promise;
    });
  });
  afterEach(() => mock.restoreAll());

  test("is sent once, and both that asked for it get its answer", async () => {
    const asked = [run("/v2/schedules/a/run"), run("/v2/schedules/a/run")];
    assert.equal(waiting.length, 1);
    answerAll({ messageId: "m" });
    assert.deepEqual(await Promise.all(asked), [{ messageId: "m" }, { messageId: "m" }]);
  });

  test("can be asked for again when it is done, and when it was refused", async () => {
    const first = run("/v2/schedules/a/run");
    waiting[0]!.resolve(Response.json({ error: "busy" }, { status: 503 }));
    await assert.rejects(first, /busy/);
    const second = run("/v2/schedules/a/run");
    answerAll({});
    await second;
    const third = run("/v2/schedules/a/run");
    assert.equal(waiting.length, 3);
    answerAll({});
    await third;
  });

  test("another path, method, header or body is another change", async () => {
    const changes: [string, Options][] = [
      ["/v2/publish/x", { method: "POST", body: "a" }],
      ["/v2/publish/y", { method: "POST", body: "a" }],
      ["/v2/publish/x", { method: "PUT", body: "a" }],
      ["/v2/publish/x", { method: "POST", body: "b" }],
      ["/v2/publish/x", { method: "POST", body: "a", headers: { "Svc-Delay": "1s" } }],
      ["/v2/publish/x", { method: "POST", body: { a: 1 } }],
      ["/v2/publish/x", { method: "POST", body: { a: 2 } }],
      ["/v2/publish/x", { method: "POST", body: Uint8Array.of(1, 2) }],
      ["/v2/publish/x", { method: "POST", body: Uint8Array.of(1, 3) }],
    ];
    const asked = changes.map(([path, options]) => call(path, options));
    assert.equal(waiting.length, changes.length);
    const again = changes.map(([path, options]) => call(path, structuredClone(options)));
    assert.equal(waiting.length, changes.length);
    answerAll({});
    await Promise.all([...asked, ...again]);
  });

  test("a question is asked as often as it is asked, and so is a change that can be stopped", async () => {
    const { signal } = new AbortController();
    const asked = [call("/v2/queues"), call("/v2/queues")];
    asked.push(run("/v2/messages/retry", signal), run("/v2/messages/retry", signal));
    assert.equal(waiting.length, 4);
    answerAll({});
    await Promise.all(asked);
  });
});

function run(path: string, signal?: AbortSignal): Promise<unknown> {
  return call(path, { method: "POST", ...(signal === undefined ? {} : { signal }) });
}

function answerAll(answer: object): void {
  for (const { resolve } of waiting) resolve(Response.json(answer));
}
