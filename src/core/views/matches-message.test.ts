import assert from "node:assert/strict";
import { test } from "node:test";
import type { DeadLetter } from "../model/message/dead-letter.ts";
import type { LogEntry } from "../model/message/log-entry.ts";
import type { DeadLetterFilter, LogFilter } from "../model/message/log-filter.ts";
import type { Message } from "../model/message/message.ts";
import { matchesDeadLetter, matchesLog } from "./matches-message.ts";

const MESSAGE: Message = {
  accountId: "account",
  messageId: "msg_1",
  kind: "publish",
  dialect: "svc",
  url: "https://example.com:8443/a/b?x=1",
  method: "POST",
  headers: [],
  settings: {
    timeoutMs: 30_000,
    retries: 3,
    labels: ["red", "blue"],
    flowControl: { key: "k,1", rate: 1, periodMs: 1_000 },
  },
  queueName: "queue",
  callerIp: "203.0.113.9",
  createdAt: 1_000,
  notBefore: 1_000,
};
const ENTRY: LogEntry = { accountId: "account", messageId: "msg_1", at: 5_000, state: "RETRY" };
const DEAD_LETTER: DeadLetter = {
  accountId: "account",
  diedAt: 5_000,
  number: 7,
  messageId: "msg_1",
  attempt: 4,
  status: 503,
  cause: "status 503",
};

test("log entries are matched by any of the values and all of the fields", () => {
  const examples: [LogFilter, boolean][] = [
    [{}, true],
    [{ states: ["ERROR", "RETRY"] }, true],
    [{ states: ["ERROR"] }, false],
    [{ fromAt: 5_000, toAt: 5_000 }, true],
    [{ fromAt: 5_001 }, false],
    [{ toAt: 4_999 }, false],
    [{ labels: ["green", "blue"] }, true],
    [{ labels: ["green"] }, false],
    [{ hosts: ["example.com"] }, true],
    [{ hosts: ["example.com:8443"], paths: ["/a/b"] }, true],
    [{ hosts: ["other.example"] }, false],
    [{ hosts: ["example.com:443"] }, false],
    [{ hosts: ["example.com:"] }, false],
    [{ hosts: [":8443"] }, false],
    [{ paths: ["/a"] }, false],
    [{ flowControlKeys: ["k,1"], queueNames: ["queue"] }, true],
    [{ queueNames: ["queue"], urlGroups: ["group"] }, false],
    [{ messageIds: [] }, false],
    [{ urlPrefixes: ["https://other.test/", "https://example.com:8443/a"] }, true],
    [{ urlPrefixes: ["example.com"] }, false],
    [{ search: "/A/B" }, true],
    [{ search: "BLU" }, true],
    [{ search: "purple" }, false],
    [{ urls: ["https://example.com:8443/a/b?x=1"], callerIps: ["203.0.113.9"] }, true],
  ];
  for (const [filter, expected] of examples) {
    assert.equal(matchesLog(filter, ENTRY, MESSAGE), expected, JSON.stringify(filter));
  }
  assert.equal(matchesLog({ hosts: ["x"] }, ENTRY, { ...MESSAGE, url: "no url" }), false);
  const bare = { timeoutMs: 30_000, retries: 3 };
  assert.equal(matchesLog({ labels: ["red"] }, ENTRY, { ...MESSAGE, settings: bare }), false);
});

test("dead letters are matched by their own fields too", () => {
  const examples: [DeadLetterFilter, boolean][] = [
    [{}, true],
    [{ deadLetterIds: ["5000-7"] }, true],
    [{ deadLetterIds: [] }, false],
    [{ statuses: [500, 503] }, true],
    [{ statuses: [0] }, false],
    [{ statuses: [503], labels: ["green"] }, false],
  ];
  for (const [filter, expected] of examples) {
    assert.equal(matchesDeadLetter(filter, DEAD_LETTER, MESSAGE), expected, JSON.stringify(filter));
  }
});
