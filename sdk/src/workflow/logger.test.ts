import assert from "node:assert/strict";
import { test } from "node:test";
import { play, serveOn, WORKFLOW_URL } from "../../../test/support/play-workflow.ts";
import { WorkflowStub } from "../../../test/support/workflow-stub.ts";
import { type Context, NonRetryableError, Receiver, type ServeOptions } from "../sdk.ts";
import { describeError, errorText } from "./error-text.ts";

const KEY = "sig_logger";
const receiver = new Receiver({ currentSigningKey: KEY });

async function broken(context: Context): Promise<unknown> {
  return context.run("pay", () => {
    throw new TypeError("no money", { cause: new Error("bank is closed") });
  });
}

async function fine(context: Context): Promise<unknown> {
  return context.run("work", () => 1);
}

function post(): Request {
  return new Request(WORKFLOW_URL, { method: "POST", body: "x" });
}

function throws(): never {
  return assert.fail("on purpose");
}

/** A logger, and what was printed to it. */
function recorder(): { texts: string[]; error(text: string): void } {
  const texts: string[] = [];
  return { texts, error: (text) => void texts.push(text) };
}

test("a failing step prints its error with run, attempt, stack and cause, at every attempt", async () => {
  const logger = recorder();
  await play(broken, { retries: 1, serve: { logger } });
  assert.equal(logger.texts.length, 2);
  for (const [index, text] of logger.texts.entries()) {
    const head = `workflow wfr_1: step "pay" failed, attempt ${index + 1}: TypeError: no money`;
    assert.ok(text.startsWith(head), text);
    assert.match(text, /\n {4}at .*logger\.test\.ts/);
    assert.match(text, /\nCaused by: Error: bank is closed\n {4}at /);
  }
});

test("it goes to the console unless it is switched off, and a logger that throws changes nothing", async (t) => {
  const { mock } = t.mock.method(console, "error", () => {});
  await play(broken, { retries: 0, serve: { logger: undefined } });
  assert.match(String(mock.calls[0]?.arguments[0]), /step "pay" failed/);
  await play(broken, { retries: 0, serve: { logger: false } });
  const { statuses } = await play(broken, { retries: 0, serve: { logger: { error: throws } } });
  assert.deepEqual(statuses, [500, 200]);
  assert.equal(mock.callCount(), 1);
});

test("errors outside of steps and of the failure function are printed, bad signatures are not", async () => {
  const logger = recorder();
  await play(() => Promise.reject(new NonRetryableError("outside")), { serve: { logger } });
  assert.match(logger.texts[0] ?? "", /^workflow wfr_1: failed, attempt 1: NonRetryableError: out/);
  const failing = recorder();
  await play(broken, { retries: 0, serve: { logger: failing, onFailure: throws } });
  assert.match(failing.texts[1] ?? "", /AssertionError: on purpose/);
  const stub = new WorkflowStub({ endpoints: {} });
  const quiet = recorder();
  assert.equal((await serveOn(stub, broken, { logger: quiet, receiver })(post())).status, 401);
  assert.deepEqual(quiet.texts, []);
  const rejecting = serveOn(stub, () => Promise.reject(new Error("down")), { logger: quiet });
  assert.equal((await rejecting(post())).status, 500);
  assert.match(quiet.texts[0] ?? "", /^workflow no run yet: failed, attempt 1: Error: down\n/);
});

test("a signature that the service made for something else is printed", async () => {
  const logger = recorder();
  const url = "https://other.example/api/order";
  const { statuses } = await play(broken, {
    retries: 0,
    signingKey: KEY,
    serve: { receiver, logger, url },
  });
  assert.equal(statuses[0], 403);
  assert.match(logger.texts[0] ?? "", /failed, attempt 1: ForeignSignatureError: .*not for https:/);
});

/** What an endpoint prints that takes two runs. */
async function warnings(options: ServeOptions<unknown>, at = WORKFLOW_URL): Promise<string[]> {
  const logger = recorder();
  const stub: WorkflowStub = new WorkflowStub({
    signingKey: KEY,
    endpoints: { [at]: (request) => handler(request) },
  });
  const handler = serveOn(stub, fine, { receiver, logger, ...options });
  for (const _ of [1, 2]) stub.trigger(at);
  await stub.drain();
  assert.ok(stub.deliveries.every(({ status }) => status === 200));
  return logger.texts;
}

test("an endpoint without a url warns once, unless it is on this machine", async () => {
  const [text, ...more] = await warnings({});
  assert.match(text ?? "", /^workflow at https:\/\/app\.example\/api\/order: serve has no url/);
  assert.deepEqual(more, []);
  assert.deepEqual(await warnings({ url: WORKFLOW_URL }), []);
  assert.deepEqual(await warnings({ trustProxy: true }), []);
  for (const host of ["localhost:3000", "app.localhost", "127.0.0.1:1", "[::1]:3000"]) {
    assert.deepEqual(await warnings({}, `http://${host}/a`), [], host);
  }
  assert.equal((await warnings({}, "http://localhost.example/a")).length, 1);
  assert.equal((await warnings({ logger: { error: throws } })).length, 0);
});

test("the stack is answered to the service, and to no caller that is not verified", async () => {
  const stacks: unknown[] = [];
  const onFailure = ({ stack }: { stack: string | undefined }) => void stacks.push(stack);
  const verified = await play(broken, {
    retries: 0,
    signingKey: KEY,
    serve: { receiver, onFailure },
  });
  const body = JSON.parse(verified.stub.deliveries[0]!.body) as Record<string, string>;
  assert.deepEqual(Object.keys(body), ["error", "message", "stack"]);
  assert.match(body["stack"]!, /^TypeError: no money\n {4}at .*\nCaused by: Error: bank/s);
  assert.deepEqual(stacks, [body["stack"]]);
  const open = await play(broken, { retries: 0, serve: { onFailure } });
  assert.deepEqual(JSON.parse(open.stub.deliveries[0]!.body), {
    error: "TypeError",
    message: "no money",
  });
  assert.equal(stacks[1], undefined);
});

test("whatever was thrown has a text of bounded length", () => {
  const deep = new Error("1", { cause: new Error("2", { cause: "three" }) });
  assert.match(errorText(deep), /^Error: 1\n.*\nCaused by: Error: 2\n.*\nCaused by: three$/s);
  const circular = new Error("circular");
  circular.cause = circular;
  assert.equal(errorText(circular).split("Error: circular").length, 6);
  assert.ok(errorText(new Error("x".repeat(100_000))).length < 9_000);
  assert.ok(errorText("x".repeat(100_000)).length < 9_000);
  const bare = new Error("no stack");
  delete bare.stack;
  assert.equal(errorText(bare), "Error: no stack");
  const foreign = new Error("of another engine");
  foreign.stack = "run@file.js:1:2\ncall@file.js:3:4";
  assert.equal(errorText(foreign), `Error: of another engine\n${foreign.stack}`);
  const loop: { self?: unknown } = {};
  loop.self = loop;
  for (const value of [undefined, null, 7, 7n, Symbol("s"), loop, { a: 1 }, () => 1]) {
    assert.equal(typeof describeError(value, true).message, "string");
    assert.equal(describeError(value, true).stack, undefined);
  }
});
