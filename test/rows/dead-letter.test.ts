/** Every field of a dead letter, as section 2.1 of the specification lists them. */
import assert from "node:assert/strict";
import { before } from "node:test";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";
import { eventually } from "../support/eventually.ts";
import { rowTests } from "./row-tests.ts";

journeys("2.1", {}, (journey) => {
  let letter: Item;
  let binary: Item;
  let scheduled: Item;
  let startedAt: number;
  let url: string;

  before(async () => {
    const { service, destination } = journey;
    destination.respond = ({ url: path }) =>
      path === "/binary"
        ? { status: 500, body: NOT_TEXT }
        : { status: 503, body: "busy", headers: { "X-Reason": "load" } };
    url = `${destination.url}/letter?x=1`;
    startedAt = Date.now();
    await service.call("POST", "/v2/topics/rows/endpoints", {
      body: JSON.stringify({ endpoints: [{ url, name: "the only one" }] }),
    });
    await service.call("POST", "/v2/enqueue/rows-queue/rows", { headers: HEADERS, body: "täxt" });
    await service.publish(`${destination.url}/binary`, { "Svc-Retries": "0" }, NOT_TEXT);
    await service.call("POST", `/v2/schedules/${destination.url}/scheduled`, {
      headers: { "Svc-Cron": "0 0 1 1 *", "Svc-Schedule-Id": "rows-id", "Svc-Retries": "0" },
    });
    await service.call("POST", "/v2/schedules/rows-id/run");
    [letter, binary, scheduled] = await Promise.all([
      letterTo("/letter?x=1"),
      letterTo("/binary"),
      letterTo("/scheduled"),
    ]);
  });

  async function letterTo(path: string): Promise<Item> {
    const { service, destination } = journey;
    return eventually(async () => {
      const { json } = await service.call("GET", "/v2/dlq");
      const letters = json["messages"] as Item[];
      return letters.find((each) => each["url"] === `${destination.url}${path}`) ?? null;
    }, `a dead letter to ${path}`);
  }

  const is = (field: string, value: () => unknown) => () =>
    assert.deepEqual(letter[field], value());

  rowTests("2.1", "Dead letter", {
    messageId: () => assert.match(letter["messageId"] as string, /^msg_\w{26}$/),
    url: is("url", () => url),
    topicName: is("topicName", () => "rows"),
    endpointName: is("endpointName", () => "the only one"),
    method: is("method", () => "PUT"),
    header: is("header", () => ({ "Content-Type": ["text/plain"], "X-Own": ["one"] })),
    body: is("body", () => "täxt"),
    bodyBase64: () => {
      assert.equal(binary["bodyBase64"], Buffer.from(NOT_TEXT).toString("base64"));
      assert.equal(binary["body"], undefined);
      assert.equal(letter["bodyBase64"], undefined);
    },
    maxRetries: is("maxRetries", () => 1),
    notBefore: () => assert.equal(letter["notBefore"], letter["createdAt"]),
    createdAt: () => {
      const createdAt = letter["createdAt"] as number;
      assert.ok(createdAt >= startedAt && createdAt <= Date.now(), String(createdAt));
    },
    callback: is("callback", () => "https://callback.example/path"),
    failureCallback: is("failureCallback", () => "https://failure.example/path"),
    queueName: is("queueName", () => "rows-queue"),
    scheduleId: () => {
      assert.equal(scheduled["scheduleId"], "rows-id");
      assert.equal(letter["scheduleId"], undefined);
    },
    callerIP: is("callerIP", () => "127.0.0.1"),
    dlqId: async () => {
      assert.match(letter["dlqId"] as string, /^\d+-\d+$/);
      const { json } = await journey.service.call("GET", `/v2/dlq/${letter["dlqId"] as string}`);
      assert.deepEqual(json, letter);
    },
    label: is("label", () => "red"),
    labels: is("labels", () => ["red", "blue"]),
    flowControlKey: is("flowControlKey", () => "rows-key"),
    rate: is("rate", () => 50),
    period: is("period", () => 90),
    parallelism: is("parallelism", () => 7),
    responseStatus: is("responseStatus", () => 503),
    responseHeader: () => {
      const header = letter["responseHeader"] as Record<string, string[]>;
      assert.deepEqual(header["X-Reason"], ["load"]);
    },
    responseBody: is("responseBody", () => "busy"),
    responseBodyBase64: () => {
      assert.equal(binary["responseBodyBase64"], Buffer.from(NOT_TEXT).toString("base64"));
      assert.equal(binary["responseBody"], undefined);
      assert.equal(letter["responseBodyBase64"], undefined);
    },
  });
});

const NOT_TEXT = Uint8Array.of(0xff, 0xfe, 0x00, 0x80);
const HEADERS = {
  "Content-Type": "text/plain",
  "Svc-Method": "PUT",
  "Svc-Retries": "1",
  "Svc-Retry-Delay": "0",
  "Svc-Forward-X-Own": "one",
  "Svc-Callback": "https://callback.example/path",
  "Svc-Failure-Callback": "https://failure.example/path",
  "Svc-Label": "red,blue",
  "Svc-Flow-Control-Key": "rows-key",
  "Svc-Flow-Control-Value": "parallelism=7, rate=50, period=90",
};
