import assert from "node:assert/strict";
import { test } from "node:test";
import { isOpen } from "../../core/model/message/log-filter.ts";
import { readCancelQuery, readSendNowQuery } from "../filters/filters.ts";

function read(query: string, body?: unknown) {
  const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
  const asked = Object.entries(readCancelQuery(query, bytes).filter);
  return Object.fromEntries(asked.filter(([, wanted]) => wanted !== undefined));
}

test("every filter is read from the query and from the body alike", () => {
  const query =
    "topicName=t&queueName=q&url=https://a.test/x&host=a.test&path=/x&label=l&flowControlKey=k" +
    "&scheduleId=s&callerIp=192.0.2.1&fromDate=1&toDate=2&count=3";
  const expected = {
    urls: ["https://a.test/x"],
    urlGroups: ["t"],
    scheduleIds: ["s"],
    queueNames: ["q"],
    callerIps: ["192.0.2.1"],
    labels: ["l"],
    flowControlKeys: ["k"],
    hosts: ["a.test"],
    paths: ["/x"],
    fromAt: 1,
    toAt: 2,
  };
  assert.deepEqual(read(query), expected);
  const body = {
    topicName: "t",
    queueName: ["q"],
    url: "https://a.test/x",
    host: "a.test",
    path: ["/x"],
    label: "l",
    flowControlKey: "k",
    scheduleId: "s",
    callerIP: "192.0.2.1",
    fromDate: 1,
    toDate: "2",
    count: 3,
  };
  assert.deepEqual(read("", body), expected);
});

test("several values of a filter are any of them", () => {
  assert.deepEqual(read("label=a&label=b,c"), { labels: ["a", "b", "c"] });
  assert.deepEqual(read("", { label: ["a", "b,c"] }), { labels: ["a", "b,c"] });
});

test("ids make everything else meaningless", () => {
  assert.deepEqual(read("messageIds=a,b&label=x&count=1"), { messageIds: ["a", "b"] });
  assert.deepEqual(read("label=x", { messageIds: ["a"] }), { messageIds: ["a"] });
});

const count = (query: string, body = "") => readCancelQuery(query, Buffer.from(body)).count;

test("a count is taken as it is, except the one that a client sends by itself", () => {
  for (const [given, meant] of [
    [1, 1],
    [99, 99],
    [100, null],
    [101, 101],
    [100_000, 100_000],
  ]) {
    assert.equal(count(`label=x&count=${given}`), meant);
    assert.equal(count("", `{"count":${given}}`), meant);
  }
  assert.equal(count("label=x"), null);
  assert.equal(count("messageIds=a&count=1"), null);
});

test("nothing at all, and an empty list of ids, mean everything", () => {
  for (const body of [undefined, {}, { messageIds: [] }]) {
    const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
    assert.ok(isOpen(readCancelQuery("", bytes).filter));
  }
  assert.deepEqual(read("", { messageIds: [], label: "x" }), { labels: ["x"] });
});

test("an empty list of ids sends nothing now", () => {
  const { filter } = readSendNowQuery("", Buffer.from('{"messageIds":[]}'));
  assert.deepEqual(filter, { messageIds: [] });
  assert.ok(isOpen(readSendNowQuery("", Buffer.from("{}")).filter));
});

test("what is not understood is refused, since it would reach more than meant", () => {
  const cases: readonly [query: string, body: unknown, says: RegExp][] = [
    ["labels=x", undefined, /labels/],
    ["messageId=x", undefined, /messageId/],
    ["cursor=x", undefined, /cursor/],
    ["label=", undefined, /label: is empty/],
    ["messageIds=", undefined, /messageIds: is empty/],
    ["count=0", undefined, /count: must be at least 1$/],
    ["count=many", undefined, /count/],
    ["count=1&count=2", undefined, /count/],
    ["fromDate=x", undefined, /fromDate/],
    ["messageIds=%00", undefined, /messageIds/],
    ["__proto__=x", undefined, /__proto__/],
    ["", [], /object/],
    ["", { labels: "x" }, /labels/],
    ["", { label: [] }, /label: is empty/],
    ["", { label: "" }, /label/],
    ["", { label: null }, /label/],
    ["", { label: [1] }, /label/],
    ["", { label: "\ud800" }, /label: holds/],
    ["", { label: "a\0b" }, /label: holds a control character/],
    ["", { messageIds: "x".split(""), callerIp: "a", callerIP: "b" }, /callerIP: is given twice/],
    ["", { count: 0 }, /count/],
    ["", { count: 1.5 }, /count/],
    ["", { count: [1] }, /count/],
    ["", { fromDate: "soon" }, /fromDate/],
    ["label=x", { label: "y" }, /label: is given in the query and in the body/],
  ];
  for (const [query, body, says] of cases) {
    const name = `${query} ${JSON.stringify(body)}`;
    assert.throws(() => read(query, body), { kind: "invalid-request", message: says }, name);
  }
  assert.throws(() => readCancelQuery("", Buffer.from('{"__proto__":{"label":"x"}}')), /__proto__/);
});
