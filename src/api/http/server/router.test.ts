import assert from "node:assert/strict";
import { test } from "node:test";
import { createRouter } from "./router.ts";
import { ROUTES } from "../../routes.ts";

const route = createRouter(ROUTES);

function find(method: string, target: string) {
  const match = route(method, target);
  if (match.kind === "methods") return match.allow;
  const { parameters, rest, query } = match;
  return [match.route.path, ...parameters, rest, query];
}

test("a destination is taken raw, with its slashes and its query", () => {
  const target = "/v2/Publish/https://a.test//x/../y%2F?b=%20&c";
  const rest = "https://a.test//x/../y%2F?b=%20&c";
  assert.deepEqual(find("POST", target), ["/v2/publish/{destination...}", rest, "b=%20&c"]);
});

test("words are found in any case, ids as they are", () => {
  const path = "/v2/messages/{messageId}";
  assert.deepEqual(find("GET", "/V2/MESSAGES/msg_Ab"), [path, "msg_Ab", "msg_Ab", ""]);
  assert.deepEqual(find("HEAD", "/v2/messages/m/?q"), [path, "m", "m/?q", "q"]);
});

test("a destination behind an id is taken raw too, and may be missing", () => {
  const path = "/v2/enqueue/{queueName}/{destination...}";
  const target = "/V2/Enqueue/My.queue/https://a.test//x?b=1?c";
  assert.deepEqual(find("POST", target), [path, "My.queue", "https://a.test//x?b=1?c", "b=1?c"]);
  assert.deepEqual(find("POST", "/v2/enqueue/q/x"), [path, "q", "x", ""]);
  assert.deepEqual(find("POST", "/v2/enqueue/q/"), [path, "q", "", ""]);
  assert.deepEqual(find("POST", "/v2/enqueue/q"), [path, "q", "", ""]);
  assert.deepEqual(find("POST", "/v2/enqueue/q?b=1"), [path, "q", "?b=1", "b=1"]);
  assert.throws(() => route("POST", "/v2/enqueue/"), { kind: "invalid-request" });
  assert.throws(() => route("POST", "/v2/enqueue"), { kind: "not-found" });
  assert.throws(() => route("POST", "/v2/enqueue/a%20b/x"), { kind: "invalid-request" });
});

test("a word between is found in any case, and before what is taken raw", () => {
  const path = "/v2/workflows/runs/{workflowRunId...}";
  assert.deepEqual(find("GET", "/v2/Workflows/RUNS/wfr_1/x"), [path, "wfr_1/x", ""]);
  assert.throws(() => route("GET", "/v2/workflows/walks/wfr_1"), { kind: "not-found" });
});

test("a route of any method takes each but OPTIONS", () => {
  for (const method of ["GET", "POST", "DELETE", "PURGE"]) {
    assert.equal(find(method, "/Echo/a/b?status=500")[0], "/echo/{path...}", method);
  }
  assert.equal(typeof find("OPTIONS", "/echo/a"), "string");
});

test("a word wins over an id", () => {
  assert.equal(find("POST", "/v2/dlq/retry")[0], "/v2/dlq/retry");
  assert.equal(find("POST", "/v2/dlq/retry/1-1")[0], "/v2/dlq/retry/{dlqId}");
  assert.equal(find("GET", "/v2/dlq/1-1")[0], "/v2/dlq/{dlqId}");
});

test("a part that may hold slashes is taken raw, up to a verb at the end", () => {
  const key = "/v2/flowControl/{flowControlKey+}";
  const parameters = (method: string, target: string): unknown => find(method, target).slice(0, 2);
  assert.deepEqual(parameters("POST", "/v2/flowcontrol/k/1%202/UNPIN"), [
    `${key}/unpin`,
    "k/1%202",
  ]);
  assert.deepEqual(parameters("POST", "/v2/flowControl/a/pause/pause?x"), [
    `${key}/pause`,
    "a/pause",
  ]);
  assert.deepEqual(parameters("GET", "/v2/flowControl/a/pause"), [key, "a/pause"]);
  assert.deepEqual(parameters("POST", "/v2/flowControl//pause"), [`${key}/pause`, ""]);
  assert.deepEqual(parameters("POST", "/v2/flowControl/pause"), [`${key}/pause`, ""]);
  assert.equal(find("GET", "/v2/flowControl/")[0], "/v2/flowControl");
  assert.equal(find("POST", "/v2/flowControl/k"), "GET, HEAD, OPTIONS");
});

test("of very many slashes no more are read than are needed", (t) => {
  const split = t.mock.method(String.prototype, "split");
  for (const head of ["/v2/workflows", "/v2/svc", "/v2/dlq", "/v2/queues"]) {
    for (const path of [`${head}${"/".repeat(60_000)}`, `${head}${"/a".repeat(30_000)}`]) {
      assert.throws(() => route("GET", path), { name: "Problem" });
    }
  }
  split.mock.restore();
  const parts = split.mock.calls.reduce((sum, { result = [] }) => sum + result.length, 0);
  assert.ok(parts > 0 && parts < 1_000, `${parts} parts`);
});

test("other methods are answered with those that there are", () => {
  assert.equal(find("PATCH", "/v2/dlq"), "GET, DELETE, HEAD, OPTIONS");
  assert.equal(find("OPTIONS", "/v2/dlq/x"), "GET, DELETE, HEAD, OPTIONS");
  assert.equal(find("GET", "/v2/publish/x"), "POST, OPTIONS");
});

test("what is not there is not found, and what is no id is refused", () => {
  for (const target of ["/", "/v2", "/v2/", "/v2/x", "//v2/keys", "/v2//keys", "/v2/keys/x"]) {
    assert.throws(() => route("GET", target), { kind: "not-found" }, target);
  }
  for (const target of ["/v2/dlq/%2e", "/v2/dlq/a b"]) {
    assert.throws(() => route("GET", target), { kind: "invalid-request" }, target);
  }
});
