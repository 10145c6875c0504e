import assert from "node:assert/strict";
import { test } from "node:test";
import { flat } from "../../core/model/message/settings.ts";
import type { HeaderCall } from "../headers/header.ts";
import type { HeaderList } from "../../core/model/message/message.ts";
import { type Aliases, readBatchDialect } from "../headers/header-reading.ts";
import { type PublishDefaults, readPublishOptions } from "./publish.ts";

/** What is given, with the settings beside the rest. */
function read(headers: Record<string, string>, aliases: Aliases = [], call?: HeaderCall) {
  const raw = Object.entries(headers).flat();
  const options = flat(readPublishOptions(raw, aliases, { defaultDialect: "svc", call }));
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function dialectOf(raw: string[], defaults: PublishDefaults = {}): string {
  return readPublishOptions(raw, [], defaults).dialect;
}

function itemDialect(raw: string[], batch: string[], groupHeaders?: HeaderList): string {
  return dialectOf(raw, { batchDialect: readBatchDialect(batch), groupHeaders });
}

test("a request without configuration is a plain message in the account's dialect", () => {
  const plain = read({ Host: "localhost", Accept: "*/*", "content-type": "text/plain" });
  assert.deepEqual(plain, { dialect: "svc", headers: [["Content-Type", "text/plain"]] });
  assert.equal(readPublishOptions([], [], { defaultDialect: "upstash" }).dialect, "upstash");
  assert.equal(readPublishOptions([], [], {}).dialect, "both");
});

test("every setting of a message is read", () => {
  const options = read({
    "UPSTASH-METHOD": "put",
    "upstash-timeout": "30",
    "Upstash-Retries": "4",
    "Upstash-Retry-Delay": "1000 * retried",
    "Upstash-Delay": "1d10h30m",
    "Upstash-Not-Before": "1700000000",
    "Upstash-Label": "red, blue,",
    "Upstash-Redact-Fields": "body,header[Authorization]",
    "Upstash-Deduplication-Id": "id-1",
    "Upstash-Content-Based-Deduplication": "True",
    "Upstash-Flow-Control-Key": "key/1 2",
    "Upstash-Flow-Control-Value": "Rate=10, parallelism=5,period=1h30m3s",
    "Upstash-Hop": "2",
    "Upstash-Telemetry-Sdk": "upstash-qstash-js@v2.7.0",
  });
  assert.deepEqual(options, {
    dialect: "upstash",
    method: "PUT",
    headers: [],
    timeoutMs: 30_000,
    retries: 4,
    retryDelay: "1000 * retried",
    delayMs: 124_200_000,
    notBefore: 1_700_000_000_000,
    labels: ["red", "blue"],
    redact: { body: true, allHeaders: false, headers: ["authorization"] },
    deduplicationId: "id-1",
    contentBasedDeduplication: true,
    flowControl: { key: "key/1 2", parallelism: 5, rate: 10, periodMs: 5_403_000 },
    hops: 2,
  });
});

test("callbacks have settings and headers of their own", () => {
  const { callback, failureCallback } = read({
    "Svc-Callback": "https://example.com/back?x=1",
    "Svc-Callback-Method": "PATCH",
    "Svc-Callback-Timeout": "5s",
    "Svc-Callback-Retries": "0",
    "Svc-Callback-Retry-Delay": "500",
    "Svc-Callback-Delay": "10s",
    "Svc-Callback-Forward-X-Key": "back",
    "Svc-Callback-Anything-Else": "tolerated",
    "Svc-Failure-Callback": "http://example.com/failed",
    "Svc-Failure-Callback-Forward-X-Key": "failed",
    "Svc-Failure-Callback-Flow-Control-Key": "slow",
    "Svc-Failure-Callback-Flow-Control-Value": "parallelism=1",
  });
  assert.deepEqual(callback, {
    url: "https://example.com/back?x=1",
    method: "PATCH",
    timeoutMs: 5_000,
    retries: 0,
    retryDelay: "500",
    delayMs: 10_000,
    headers: [["X-Key", "back"]],
    flowControl: undefined,
  });
  assert.deepEqual(failureCallback, {
    url: "http://example.com/failed",
    headers: [["X-Key", "failed"]],
    flowControl: { key: "slow", parallelism: 1, rate: undefined, periodMs: 1_000 },
  });
  const alone = { "Svc-Callback": "https://x.test/", "Svc-Callback-Flow-Control-Key": "k" };
  assert.throws(() => read(alone), /Svc-Callback-Flow-Control-Value: must be given/);
  assert.equal(read({ "Svc-Callback-Retries": "1" })["callback"], undefined);
});

test("forwarded headers lose their prefix, keep their order and are spelt in one way", () => {
  const raw = ["svc-forward-b-key", "1", "Svc-Forward-A", " 2 ", "SVC-FORWARD-B-KEY", "3"];
  assert.deepEqual(readPublishOptions(raw, [], { defaultDialect: "svc" }).headers, [
    ["B-Key", "1"],
    ["A", "2"],
    ["B-Key", "3"],
  ]);
});

test("a forwarded Content-Type replaces the request's", () => {
  const headers = { "Content-Type": "text/a", "Svc-Forward-content-type": "text/b" };
  assert.deepEqual(read(headers)["headers"], [["Content-Type", "text/b"]]);
});

test("Content-Encoding stays with its body", () => {
  const headers = { "Content-Encoding": "gzip", "Content-Type": "text/plain" };
  assert.deepEqual(read(headers)["headers"], [
    ["Content-Encoding", "gzip"],
    ["Content-Type", "text/plain"],
  ]);
});

test("Header-Forward sends what is the request's own and nothing else", () => {
  const headers = {
    Host: "localhost",
    Connection: "keep-alive, X-Hop",
    "X-Hop": "dropped",
    "Keep-Alive": "timeout=5",
    "Transfer-Encoding": "chunked",
    "Content-Length": "4",
    Authorization: "Bearer secret",
    "Upstash-Signature": "dropped",
    "Svc-Header-Forward": "true",
    "Svc-Forward-X-Both": "forwarded",
    "X-Both": "plain",
    "x-github-event": "push",
    "Content-Type": "application/json",
  };
  assert.deepEqual(read(headers)["headers"], [
    ["X-Github-Event", "push"],
    ["Content-Type", "application/json"],
    ["X-Both", "forwarded"],
  ]);
});

test("aliases in the query count, and headers win over them", () => {
  const aliases: Aliases = [
    ["svc-retries", "7"],
    ["svc-delay", "10s"],
    ["svc-forward-x", "alias"],
    ["svc-forward-y", "alias"],
  ];
  const options = read({ "Svc-Retries": "1", "Svc-Forward-X": "header" }, aliases);
  assert.equal(options["retries"], 1);
  assert.equal(options["delayMs"], 10_000);
  assert.deepEqual(options["headers"], [
    ["X", "header"],
    ["Y", "alias"],
  ]);
  assert.equal(read({}, [["upstash-retries", "7"]])["dialect"], "upstash");
});

test("what receivers pass on to us says nothing of a dialect", () => {
  const options = read({
    "Upstash-Signature": "x",
    "Upstash-Message-Id": "msg_1",
    "Upstash-Retried": "0",
    "Upstash-Telemetry-Runtime": "node",
    "Upstash-Hop": "1",
    "Svc-Retries": "2",
  });
  assert.deepEqual(options, { dialect: "svc", headers: [], retries: 2, hops: 1 });
});

test("no header that only receivers pass on names a dialect, not even alone", () => {
  const passedOn = ["Caller-Ip", "Message-Id", "Region", "Retried", "Schedule-Id", "Signature"];
  for (const name of [...passedOn, "Topic-Name", "Max-Retries", "NonRetryable-Error"]) {
    assert.equal(dialectOf([`Upstash-${name}`, "1"]), "both", name);
  }
  assert.equal(dialectOf(["Upstash-Error-Step-Name", "step"]), "both");
  assert.equal(dialectOf(["Upstash-Retries", "1"]), "upstash");
});

test("telemetry names a dialect only if nothing else does", () => {
  const telemetry = ["Upstash-Telemetry-Sdk", "py"];
  assert.equal(dialectOf(telemetry), "upstash");
  assert.equal(dialectOf(telemetry, { defaultDialect: "svc" }), "upstash");
  assert.equal(dialectOf([...telemetry, "Svc-Retries", "1"]), "svc");
  assert.equal(dialectOf(telemetry, { groupHeaders: [["Svc-Retries", "1"]] }), "svc");
  assert.equal(dialectOf(telemetry, { groupHeaders: [["Content-Type", "a/b"]] }), "upstash");
});

test("both dialects of the hop count may be passed back, of which the greater counts", () => {
  assert.equal(read({ "Svc-Hop": "1", "Upstash-Hop": "3" })["hops"], 3);
  assert.equal(read({ "Svc-Hop": "2", "Upstash-Hop": "1" })["hops"], 2);
});

test("an item without a dialect has that of its batch", () => {
  assert.equal(itemDialect([], []), "both");
  assert.equal(itemDialect([], ["upstash-anything", "1"]), "upstash");
  assert.equal(itemDialect(["Svc-Retries", "1"], ["Upstash-Retries", "1"]), "svc");
  assert.equal(itemDialect([], ["Svc-Retries", "1", "Upstash-Retries", "1"]), "both");
  assert.equal(itemDialect([], ["Svc-Hop", "1", "Svc-Message-Id", "m", "Host", "x"]), "both");
  assert.equal(itemDialect([], ["Upstash-Telemetry-Sdk", "py"]), "upstash");
  assert.equal(itemDialect(["Svc-Telemetry-Sdk", "x"], ["Upstash-Retries", "1"]), "upstash");
  assert.equal(itemDialect([], ["Upstash-Retries", "1"], [["Svc-Retries", "1"]]), "upstash");
  assert.equal(itemDialect([], ["Upstash-Telemetry-Sdk", "py"], [["Svc-Retries", "1"]]), "svc");
});

test("the workflow protocol is let through, and drops what cannot be forwarded", () => {
  const options = read({
    "Upstash-Workflow-RunId": "wfr_1",
    "Upstash-Feature-Set": "LazyFetch,InitialBody",
    "Upstash-Forward-Upstash-Workflow-Sdk-Version": "1",
    "Upstash-Forward-Host": "example.com",
    "Upstash-Forward-Upstash-Signature": "forged",
    "Upstash-Forward-X-Key": "kept",
  });
  assert.deepEqual(options["headers"], [
    ["Upstash-Workflow-Sdk-Version", "1"],
    ["X-Key", "kept"],
  ]);
});

test("names that objects have by nature are ordinary names", () => {
  const raw = ["Svc-Forward-__proto__", "a", "Svc-Forward-constructor", "b", "__proto__", "c"];
  const options = readPublishOptions(raw, [], { defaultDialect: "svc" });
  assert.deepEqual(options.headers, [
    ["__proto__", "a"],
    ["Constructor", "b"],
  ]);
  assert.equal(
    read({ "Svc-Flow-Control-Key": "__proto__", "Svc-Flow-Control-Value": "rate=1" })["flowControl"]
      .key,
    "__proto__",
  );
});

test("schedules read their own headers elsewhere", () => {
  const headers = { "Svc-Cron": "* * * * *", "Svc-Schedule-Id": "a", "Svc-Queue-Name": "q" };
  assert.deepEqual(read(headers, [], "schedule"), { dialect: "svc", headers: [] });
});

test("only the delay of a step may be a fraction of a second", () => {
  assert.equal(read({ "Svc-Delay": "1.5s" }, [], "step")["delayMs"], 1_500);
  assert.equal(read({ "Svc-Delay": "10s" }, [], "step")["delayMs"], 10_000);
  assert.throws(() => read({ "Svc-Delay": "1.5s" }), /Svc-Delay/);
});

const readWithDefault = (raw: string[], retriesDefault?: number) =>
  readPublishOptions(raw, [], { retriesDefault });

test("a retry delay must be finite for the retries that there will be", () => {
  const once = ["Svc-Retry-Delay", "1000 / (1 - retried)"];
  assert.equal(readWithDefault([...once, "Svc-Retries", "1"]).settings.retryDelay, once[1]);
  assert.equal(readWithDefault(once, 1).settings.retryDelay, once[1]);
  assert.throws(
    () => readWithDefault(once),
    /Svc-Retry-Delay: is not a finite number when retried is 1/,
  );
  assert.throws(() => readWithDefault([...once, "Svc-Retries", "2"], 1), /when retried is 1/);
});

test("names of users behind the prefixes of callbacks are passed over", () => {
  const plain = { dialect: "svc", headers: [] };
  for (const name of ["Svc-Callback-X-Mine", "Svc-Failure-Callback-X-Mine"]) {
    assert.deepEqual(read({ [name]: "1" }), plain, name);
  }
  assert.throws(() => read({ "Svc-X-Mine": "1" }), /Svc-X-Mine/);
});
