/** What the screens of URL groups and schedules ask of the server. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import { dashboardModule } from "../support/dashboard-modules.ts";
import { StubWindow } from "../support/stub-window.ts";

const stub = new StubWindow();
const { putEndpoint, setHeaders } = await dashboardModule<{
  putEndpoint: (group: string, endpoint: { url: string; name?: string }) => Promise<void>;
  setHeaders: (group: string, pairs: readonly (readonly [string, string])[]) => Promise<void>;
}>("url-group/url-group.ts");
const { isUrl, runNow, setPaused } = await dashboardModule<{
  isUrl: (destination: string) => boolean;
  runNow: (id: string) => Promise<void>;
  setPaused: (id: string, isPaused: boolean) => Promise<void>;
}>("schedule/schedule.ts");
const { announcement } = await dashboardModule<{
  announcement: {
    readonly value: { readonly sentence: string; readonly undo?: () => void } | null;
  };
}>("app/announce.ts");

interface Sent {
  readonly method: string;
  readonly body: string | null;
}

let asked: unknown[] = [];
let answer: object = {};
let status = 200;

describe("what set-up screens ask", () => {
  beforeEach(() => {
    asked = [];
    answer = {};
    status = 200;
    mock.timers.enable({ apis: ["setTimeout"] });
    mock.method(globalThis, "fetch", async (path: string, { method, body }: Sent) => {
      asked.push([method, path, ...(body === null ? [] : [JSON.parse(body)])]);
      return Response.json(answer, { status });
    });
  });
  afterEach(() => {
    mock.restoreAll();
    mock.timers.reset();
  });

  test("an endpoint without a name is sent without one", async () => {
    await putEndpoint("a/b", { url: "https://x.example", name: "" });
    await putEndpoint("a/b", { url: "https://x.example", name: "x" });
    const path = "/v2/topics/a%2Fb/endpoints";
    assert.deepEqual(asked, [
      ["POST", path, { endpoints: [{ url: "https://x.example" }] }],
      ["POST", path, { endpoints: [{ url: "https://x.example", name: "x" }] }],
    ]);
  });

  test("headers of one name are sent together, in their order", async () => {
    const pairs = [
      ["X-A", "1"],
      ["X-B", "2"],
      ["X-A", "3"],
    ] as const;
    await setHeaders("g", pairs);
    const headers = { "X-A": ["1", "3"], "X-B": ["2"] };
    assert.deepEqual(asked, [["PATCH", "/v2/topics/g", { headers }]]);
  });

  test("a pause can be undone once, and a refusal is said with its reason", async () => {
    await setPaused("daily report", true);
    assert.equal(announcement.value?.sentence, "Schedule daily report is paused.");
    announcement.value?.undo?.();
    await new Promise(setImmediate);
    assert.deepEqual(asked, [
      ["POST", "/v2/schedules/daily%20report/pause"],
      ["POST", "/v2/schedules/daily%20report/resume"],
    ]);
    assert.equal(announcement.value?.sentence, "Schedule daily report runs again.");
    assert.equal(announcement.value?.undo, undefined);
    status = 404;
    answer = { error: "it is gone." };
    await setPaused("s", false);
    assert.equal(announcement.value?.sentence, "Schedule s was not resumed. it is gone.");
  });

  test("the message that a schedule sends now is opened, and several are not", async () => {
    answer = { messageId: "msg_1" };
    await runNow("s");
    assert.equal(stub.location.pathname, "/messages/msg_1");
    answer = [{ messageId: "msg_2" }, { messageId: "msg_3" }];
    await runNow("s");
    assert.equal(stub.location.pathname, "/messages/msg_1");
    assert.equal(announcement.value?.sentence, "Sent the message of s.");
  });

  test("a destination is a URL or the name of a group", () => {
    assert.ok(isUrl("HTTPS://x.example"));
    assert.ok(!isUrl("https-hooks"));
  });
});
