/** The filters of the lists: from the words of the URL to what the API is asked for. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { deadQuery, DEAD_FIELDS, groupedBy } from "../../dashboard/src/dead-letter/dead-filter.ts";
import type { LogEntry } from "../../sdk/src/answers/message.ts";
import { WAIT_REASONS } from "../../src/core/model/line/waiting.ts";
import * as messages from "../../dashboard/src/message/message-filter.ts";
import {
  fieldOfValues,
  sinceAt,
  stateField,
  STATUS_FIELD,
  TIME_FIELD,
} from "../../dashboard/src/parts/filter-fields.ts";
import * as runs from "../../dashboard/src/workflow/run-filter.ts";

const NOW = 1_800_000_012_345;
const DAY_MS = 86_400_000;

const queryOf = (text: string): URLSearchParams => new URLSearchParams(text);

test("the words of the messages are the parameters of the API", () => {
  const text =
    "state=retry&q=t&label=l&url=http://a.test/&host=a.test&queue=q&key=k&schedule=s&group=g&ids=msg_1,msg_2&time=7d";
  const filter = messages.filterOf(queryOf(text));
  assert.equal(filter.state, "RETRY");
  assert.equal(filter.host, "a.test");
  assert.deepEqual(messages.apiQuery(filter, NOW), {
    messageIds: "msg_1,msg_2",
    search: "t",
    label: "l",
    urlPrefix: "http://a.test/",
    queueName: "q",
    flowControlKey: "k",
    scheduleId: "s",
    topicName: "g",
    fromDate: NOW - 7 * DAY_MS,
  });
  const told = messages.filterOf(queryOf("status=503&error=refused&host=a.test"));
  const { responseStatus, errorText, host } = messages.logQuery(told, NOW);
  assert.deepEqual([responseStatus, errorText, host], ["503", "refused", "a.test"]);
});

const asked = (text: string) => messages.openQuery(messages.filterOf(queryOf(text)), NOW);

test("what waits is asked for by its reason, or for any of them", () => {
  assert.equal(asked("waiting=key-rate")["waitingFor"], "key-rate");
  assert.equal(asked("waiting=any")["waitingFor"], messages.WAIT_REASONS.join(","));
  assert.equal(asked("state=CREATED")["waitingFor"], null);
  // What is done with all that match must not reach other destinations.
  assert.equal(asked("waiting=any&host=a.test")["host"], "a.test");
  // As the server has them.
  assert.deepEqual(new Set(messages.WAIT_REASONS), new Set(WAIT_REASONS));
});

test("a state or a time that does not exist is no filter", () => {
  const filter = messages.filterOf(queryOf("state=none&time=2y"));
  assert.equal(filter.state, null);
  assert.equal(messages.apiQuery(filter, NOW)["fromDate"], null);
  assert.deepEqual(new Set(Object.values(messages.filterOf(queryOf("")))), new Set([null]));
  assert.equal(messages.apiQuery(messages.filterOf(queryOf("")), NOW)["fromDate"], null);
  assert.equal(
    messages.apiQuery(messages.filterOf(queryOf("time=1h")), NOW)["fromDate"],
    NOW - 3_600_000,
  );
});

const ENTRY = {
  url: "http://a.test:81/x",
  labels: ["one", "two"],
  queueName: "q",
  flowControlKey: "k",
  scheduleId: "s",
  topicName: "g",
  error: "Connection refused",
  responseStatus: 503,
} as unknown as LogEntry;

const isShown = (text: string, entry = ENTRY) =>
  messages.matches(messages.filterOf(queryOf(text)), entry);

test("an entry that comes later is shown where every word of the filter fits it", () => {
  const fitting = ["label=two", "url=http://a.test:81/", "host=a.test", "host=a.test:81"];
  fitting.push("q=TEST:81", "q=tW", "q=connection", "q=refused", "error=REFUSED", "status=503");
  for (const text of [
    "",
    ...fitting,
    "queue=q",
    "key=k",
    "schedule=s",
    "group=g",
    "state=FAILED",
  ]) {
    assert.equal(isShown(text), true, text);
  }
  const others = ["label=three", "url=http://a.test:81/y", "host=b.test", "host=a.test:82"];
  others.push("q=b.test", "error=reset", "error=a.test", "status=500", "label=tw", "url=a.test");
  for (const text of [...others, "queue=r", "key=l", "schedule=t", "group=h"]) {
    assert.equal(isShown(text), false, text);
    assert.equal(isShown(`${text}&label=one`), false, text);
  }
  const named = { ...ENTRY, messageId: "msg_1" };
  for (const [ids, expected] of [
    ["msg_0,msg_1", true],
    ["msg_10,msg_2", false],
  ] as const) {
    assert.equal(isShown(`ids=${ids}`, named), expected, ids);
  }
  const bare = { url: "http://a.test/" } as LogEntry;
  for (const text of ["label=one", "queue=q", "key=k", "schedule=s", "group=g"]) {
    assert.equal(isShown(text, bare), false, text);
  }
  assert.equal(isShown("", bare), true);
});

test("of several values, separated by commas as the API does it, one has to fit", () => {
  const several = ["label=x,two", "queue=p, q", "schedule=s,t", "group=h,g", "host=b.test,a.test"];
  several.push("url=http://b.test/,http://a.test:81/", "status=500,503");
  for (const text of several) assert.equal(isShown(text), true, text);
  const others = ["label=x,y", "queue=p,r", "host=b.test,c.test", "status=500,504"];
  // The API takes a key, a URL and a text with their commas.
  for (const text of [...others, "key=k,l", "url=http://a.test:81/,x", "q=x,refused"]) {
    assert.equal(isShown(text), false, text);
  }
});

test("an entry that comes later without an answer is one with status 0, as in the list", () => {
  const { responseStatus: _, ...unanswered } = ENTRY;
  assert.equal(isShown("status=0", unanswered), true);
  const { error: __, ...begun } = unanswered;
  for (const entry of [ENTRY, begun]) assert.equal(isShown("status=0", entry), false);
});

test("counts of the account are shown where only the state is filtered, and a search where entries are passed over", () => {
  const words = Object.keys(messages.filterOf(queryOf(""))).filter((name) => name !== "state");
  const of = (text: string) => messages.filterOf(queryOf(text));
  assert.deepEqual([messages.isOfAll(of("")), messages.isSearch(of(""))], [true, false]);
  assert.deepEqual(
    [messages.isOfAll(of("state=FAILED")), messages.isSearch(of("state=FAILED"))],
    [true, true],
  );
  for (const word of words) assert.equal(messages.isOfAll(of(`${word}=1h`)), false, word);
  const searched = words.filter((word) => messages.isSearch(of(`${word}=1h`)));
  assert.deepEqual(
    searched,
    words.filter((word) => word !== "time" && word !== "waiting"),
  );
  for (const text of ["", "state=sleeping"])
    assert.equal(runs.isOfAll(runs.runFilterOf(queryOf(text))), true);
  for (const word of ["q", "workflow", "run", "label", "key", "caller", "time"]) {
    assert.equal(runs.isOfAll(runs.runFilterOf(queryOf(`state=sleeping&${word}=1h`))), false, word);
  }
});

const isOpen = (text: string) => messages.isOfOpen(messages.filterOf(queryOf(text)));

test("messages that have not ended are asked for by their state", () => {
  const open = messages.STATES.filter((state) => isOpen(`state=${state}`));
  assert.deepEqual(open, ["CREATED", "ACTIVE", "RETRY"]);
  assert.deepEqual([isOpen(""), isOpen("waiting=any")], [false, true]);
});

test("the words of the runs are the parameters of the API", () => {
  const text = "state=run_failed&q=t&workflow=w&run=wfr_1&label=l&key=k&caller=192.0.2.1&time=24h";
  const filter = runs.runFilterOf(queryOf(text));
  assert.deepEqual(runs.runQuery(filter, NOW), {
    state: "RUN_FAILED",
    waitingFor: null,
    search: "t",
    workflowUrl: "w",
    workflowRunId: "wfr_1",
    label: "l",
    flowControlKey: "k",
    callerIp: "192.0.2.1",
    fromDate: NOW - DAY_MS,
  });
  assert.equal(runs.isFiltered(filter), true);
  const none = runs.runFilterOf(queryOf("state=running&other=x"));
  assert.deepEqual([runs.isFiltered(none), runs.runQuery(none, NOW)["fromDate"]], [false, null]);
  assert.equal(runs.isFiltered(runs.runFilterOf(queryOf("run=wfr_1"))), true);
  assert.equal(runs.runQuery(runs.runFilterOf(queryOf("time=2y")), NOW)["fromDate"], null);
  const asleep = runs.runQuery(runs.runFilterOf(queryOf("state=sleeping")), NOW);
  assert.deepEqual([asleep["state"], asleep["waitingFor"]], [null, "sleep"]);
  const waits = runs.runQuery(runs.runFilterOf(queryOf("state=waiting-for-event")), NOW);
  assert.deepEqual([waits["state"], waits["waitingFor"]], [null, "event"]);
});

test("dead letters are groups without a filter, and a list with any", () => {
  assert.equal(groupedBy(queryOf("")), "error");
  assert.equal(groupedBy(queryOf("page=2&group=error")), "error");
  assert.equal(groupedBy(queryOf("group=host")), "host");
  assert.equal(groupedBy(queryOf("group=none")), null);
  for (const name of DEAD_FIELDS) assert.equal(groupedBy(queryOf(`${name}=`)), null, name);
  assert.equal(groupedBy(queryOf("time=1h&group=host")), null);
});

const ask = (text: string, kind: "messages" | "runs") => deadQuery(queryOf(text), kind, NOW);

test("each list of dead letters is asked in its own words, and not for what it does not have", () => {
  const shared = "q=t&label=l&status=500&error=e&cause=c&key=k&caller=i&host=h";
  const common = { search: "t", label: "l", responseStatus: "500", errorText: "e", cause: "c" };
  const found = { ...common, flowControlKey: "k", callerIp: "i", host: "h" };
  assert.deepEqual(ask(`${shared}&url=u`, "messages"), { ...found, urlPrefix: "u" });
  assert.deepEqual(ask(`${shared}&url=u`, "runs"), { ...found, workflowUrl: "u" });
  for (const [word, parameter] of [
    ["queue", "queueName"],
    ["schedule", "scheduleId"],
    ["topic", "topicName"],
  ] as const) {
    assert.deepEqual(ask(`${word}=x`, "messages"), { [parameter]: "x" });
    assert.equal(ask(`${word}=x`, "runs"), null, word);
  }
  assert.deepEqual(ask("run=x", "runs"), { workflowRunId: "x" });
  assert.equal(ask("run=x", "messages"), null);
  assert.deepEqual(ask("", "runs"), {});
});

test("the time of dead letters is whole minutes, so that a question stays the same", () => {
  const fromDate = (now: number) => deadQuery(queryOf("time=1h"), "messages", now)?.["fromDate"];
  assert.equal(fromDate(NOW), NOW - 3_600_000 - 12_345);
  assert.equal(fromDate(NOW + 47_654), fromDate(NOW));
  assert.equal(fromDate(NOW + 47_655), (fromDate(NOW)! as number) + 60_000);
  assert.deepEqual(deadQuery(queryOf("time=2y"), "messages", NOW), {});
});

test("fields know their values", () => {
  const { check, show } = TIME_FIELD;
  assert.deepEqual([check?.("24h"), check?.("90m"), check?.("2026-11-01")], [null, null, null]);
  assert.equal(check?.("2y"), "Give how far back, as 30m, 1h or 7d, or a date.");
  assert.deepEqual([show?.("7d"), show?.("2h")], ["last 7 days", "2h"]);
  assert.equal(sinceAt("2026-11-01", NOW), Date.parse("2026-11-01"));
  assert.deepEqual([sinceAt("30s", NOW), sinceAt("2d", NOW)], [NOW - 30_000, NOW - 2 * DAY_MS]);
  assert.equal(sinceAt("1440m", NOW), NOW - DAY_MS);
  for (const text of [null, "tea", "10000m", "2026", "1w"]) assert.equal(sinceAt(text, NOW), null);
  const states = stateField(["ACTIVE", "RETRY"]);
  assert.equal(states.check?.("retry"), null);
  assert.deepEqual(states.suggest?.(), [{ value: "ACTIVE" }, { value: "RETRY" }]);
  for (const { value } of TIME_FIELD.suggest!()) assert.notEqual(show?.(value), value);
  assert.equal(TIME_FIELD.suggest!().length, 3);
  const statuses = ["0", "503", "", "5x", "5033"].map(
    (text) => STATUS_FIELD.check?.(text) === null,
  );
  assert.deepEqual(statuses, [true, true, false, false, false]);
  assert.match(states.check?.("done") ?? "", /^No state is called done\./);
  const values = [undefined, "b", "", "a", "a"];
  assert.deepEqual(fieldOfValues("x", () => values).suggest?.(), [
    { value: "a", count: 2 },
    { value: "b", count: 1 },
  ]);
  const many = Array.from({ length: 30 }, (_, number) => String(number));
  assert.equal(fieldOfValues("x", () => many).suggest?.().length, 20);
});
