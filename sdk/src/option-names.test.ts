import assert from "node:assert/strict";
import { test } from "node:test";
import { serveMany as serveManyInExpress, serve as serveInExpress } from "./adapters/express.ts";
import { requireKnown } from "./option-names.ts";
import { Client, createWorkflow, PostriderError, Receiver, serve } from "./sdk.ts";
import { Context } from "./workflow/context.ts";

const url = "https://app.example/";
const asked: string[] = [];
const fetch = async (input: unknown): Promise<Response> => {
  asked.push(String(input));
  return new Response("{}");
};
const client = new Client({ token: "t", baseUrl: "http://service", fetch });
const workflow = async (): Promise<void> => {};
const steps = { isReplaying: false, call: () => new Promise<never>(() => {}), cancel: unused };
const context = new Context({ url, runId: "r" } as never, steps);

function unused(): never {
  return assert.fail("not called");
}

/** What a program in JavaScript may give, with the sentence that refuses it. */
const MISTAKES: readonly (readonly [string, (odd: never) => unknown, unknown, RegExp])[] = [
  ["publish", (odd) => client.publish(odd), { url, dealy: 1 }, /"dealy"; did you mean delay\?/],
  ["a short other word", (odd) => client.publish(odd), { url, ulb: 1 }, /"ulb"; it has: /],
  ["publishJSON", (odd) => client.publishJSON(odd), { url, Retries: 1 }, /did you mean retries\?/],
  [
    "publish to a topic",
    (odd) => client.publish(odd),
    { topic: "t" },
    /it has: retries, .*urlGroup/,
  ],
  ["queueName alone", (odd) => client.publish(odd), { url, queueName: "q" }, /"queueName"/],
  ["a callback", (odd) => client.publish({ url, callback: odd }), { url, retires: 1 }, /retries\?/],
  [
    "a failure callback",
    (odd) => client.publish({ url, failureCallback: odd }),
    { url, header: {} },
    /callback .*headers\?/,
  ],
  ["flow control", (odd) => client.publish({ url, flowControl: odd }), { kye: "k" }, /key\?/],
  ["redact", (odd) => client.publish({ url, redact: odd }), { header: true }, /headers\?/],
  ["batch", (odd) => client.batch([{ url }, odd]), { url, queue: "q" }, /"queue"/],
  ["batchJSON", (odd) => client.batchJSON([odd]), { url, lable: "l" }, /label\?/],
  ["enqueue", (odd) => client.queue("q").enqueue(odd), { url, timout: 1 }, /timeout\?/],
  ["enqueueJSON", (odd) => client.queue("q").enqueueJSON(odd), { url, bdoy: 1 }, /body\?/],
  ["a retry", (odd) => client.messages.retry("m", odd), { ovr: "10m" }, /over\?/],
  ["schedules", (odd) => client.schedules.list(odd), { cuont: 1 }, /count\?/],
  ["logs", (odd) => client.logs.list({}, odd), { singal: 1 }, /signal\?/],
  ["a tail", (odd) => client.logs.tail({}, odd), { singal: 1 }, /signal\?/],
  ["a queue", (odd) => client.queue("q").upsert(odd), { paralellism: 1 }, /parallelism\?/],
  [
    "trigger",
    (odd) => client.workflow.trigger(odd),
    { url, workflowRunID: "x" },
    /workflowRunId\?/,
  ],
  ["triggers", (odd) => client.workflow.trigger([odd]), { url, falureUrl: url }, /failureUrl\?/],
  [
    "a schedule",
    (odd) => client.schedules.create(odd),
    { destination: url, cron: "@daily", scheduleID: "x" },
    /scheduleId\?/,
  ],
  [
    "a schedule's instant",
    (odd) => client.schedules.create(odd),
    { destination: url, cron: "@daily", notBefore: 1 },
    /"notBefore"/,
  ],
  ["redact alone", (odd) => client.publish({ url, redact: odd }), true, /redact must be an object/],
  ["names to redact", (odd) => client.publish({ url, redact: odd }), "body", /redact must be/],
  ["a key alone", (odd) => client.publish({ url, flowControl: odd }), "k", /flowControl must be/],
  ["no callback", (odd) => client.publish({ url, callback: odd }), null, /a callback must be/],
  ["a queue's name", (odd) => client.queue(odd), { name: "q" }, /it has: queueName/],
  ["no queue", (odd) => client.queue(odd), undefined, /a queue must be/],
  ["no key", (odd) => client.flowControl.pause(odd), undefined, /a name is needed/],
  ["pin", (odd) => client.flowControl.pin("k", odd), { rates: 1 }, /rate\?/],
  ["cancel", (odd) => client.messages.cancel({ filter: odd }), { lable: "x" }, /label\?/],
  ["cancel runs", (odd) => client.workflow.cancel({ filter: odd }), { urls: "x" }, /it has:/],
  ["a selection", (odd) => client.dlq.delete(odd), { filter: { url }, cuont: 1 }, /count\?/],
  ["a list", (odd) => client.logs.list(odd), { messageID: "x" }, /messageId\?/],
  ["messages", (odd) => client.messages.list(odd), { cont: 1 }, /count\?/],
  ["dead letters", (odd) => client.dlq.list(odd), { responseStatu: 1 }, /responseStatus\?/],
  ["a retry", (odd) => client.dlq.retry("1-1", odd), { retires: 1 }, /retries\?/],
  ["runs", (odd) => client.workflow.logs(odd), { workflowURL: "x" }, /workflowUrl\?/],
  ["dead runs", (odd) => client.workflow.dlq.list(odd), { labels: "x" }, /label\?/],
  ["a resume", (odd) => client.workflow.dlq.resume("1-1", odd), { retry: 1 }, /"retry"/],
  ["wait", (odd) => client.messages.wait("m", odd), { timeOut: 1 }, /timeout\?/],
  ["notify", (odd) => client.workflow.notify("e", 1, odd), { runId: "x" }, /"runId"/],
  ["a client", (odd) => new Client(odd), { tokn: "t" }, /client .*token\?/],
  ["retry", (odd) => new Client({ token: "t", retry: odd }), { retry: 1 }, /retries, backoff/],
  ["a receiver", (odd) => new Receiver(odd), { currentSigningkey: "k" }, /currentSigningKey\?/],
  [
    "verify",
    (odd) => new Receiver({ currentSigningKey: "k" }).verify(odd),
    { signature: "a.b.c", body: "", URL: url },
    /url\?/,
  ],
  ["serve", (odd) => serve(workflow, odd), { onFaliure: unused }, /serve .*onFailure\?/],
  ["serve's client", (odd) => serve(workflow, { client: odd }), { baseURL: url }, /baseUrl\?/],
  ["a client to serve", (odd) => serve(workflow, { client: odd }), client, /client has no option/],
  ["createWorkflow", (odd) => createWorkflow(workflow, odd), { URL: url }, /url\?/],
  ["Express", (odd) => serveInExpress(workflow, odd), { trustproxy: true }, /trustProxy\?/],
  ["a logger", (odd) => serve(workflow, odd), { logger: unused }, /logger must have a method/],
  ["a call", (odd) => context.call("ask", odd), { url, boddy: 1 }, /call "ask" .*body\?/],
  ["invoke", (odd) => context.invoke("ask", odd), { url, label: "x", lables: 1 }, /label\?/],
  ["an event", (odd) => context.waitForEvent("w", "e", odd), { timout: 1 }, /timeout\?/],
];

for (const [name, give, mistake, refusal] of MISTAKES) {
  test(`an option that does not exist is refused by its nearest name: ${name}`, async () => {
    asked.length = 0;
    await assert.rejects(
      async () => give(mistake as never),
      (error) => {
        assert.ok(error instanceof PostriderError, String(error));
        assert.match(error.message, refusal);
        return true;
      },
    );
    assert.deepEqual(asked, [], "nothing was sent");
  });
}

test("options without a value and inherited ones are no mistakes", async () => {
  const odd = Object.create({ inherited: 1 }) as { url: string };
  await client.publish(Object.assign(odd, { url, dealy: undefined }) as { url: string });
  serveInExpress(workflow, { url: undefined });
  assert.ok(new Receiver({ currentSigningKey: "k", token: "t" } as { currentSigningKey: string }));
  serveManyInExpress({ a: createWorkflow(workflow) });
  for (const nothing of [undefined, null, "https://app.example/", 7]) {
    await assert.rejects(client.publish(nothing as never), PostriderError);
  }
});

test("a name of any length is compared in little time", () => {
  const given = { ["x".repeat(1_000_000)]: 1 };
  assert.throws(() => requireKnown("it", given, { delay: true }), /it has: delay/);
  assert.throws(() => requireKnown("it", { __proto__x: 1 }, { delay: true }), /__proto__x/);
  assert.throws(() => requireKnown("it", { constructor: 1 }, { delay: true }), /constructor/);
});
