import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { Problem } from "../../core/problem.ts";
import {
  readDeadLetterBulk,
  readDeadLetterQuery,
  readLogQuery,
  asksForRuns,
  readDeadRunBulk,
  readDeadRunQuery,
  readGroupQuery,
  readLiveQuery,
  readCancelQuery,
} from "./filters.ts";

const NO_BODY = new Uint8Array();

function given(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}

function logFilter(query: string): object {
  return given(readLogQuery(query).filter);
}

test("without parameters a list is its newest page", () => {
  const logs = readLogQuery("");
  assert.deepEqual([logs.count, logs.order, logs.cursor], [1_000, "latestFirst", null]);
  assert.deepEqual(given(logs.filter), {});
  assert.equal(readDeadLetterQuery("").count, 100);
});

test("values are repeated or joined by commas", () => {
  assert.deepEqual(logFilter("label=a&label=b,c&label=d%2Ce"), {
    labels: ["a", "b", "c", "d", "e"],
  });
  assert.deepEqual(logFilter("messageId=m1&messageIds=m2,m3"), { messageIds: ["m1", "m2", "m3"] });
  assert.deepEqual(logFilter("flowControlKey=a%2Cb,c+d"), { flowControlKeys: ["a,b", "c d"] });
  assert.deepEqual(logFilter("path=/a%2Cb,/c"), { paths: ["/a,b", "/c"] });
  const { filter } = readDeadLetterQuery("error=reset,+then+refused&cause=status+503,+late");
  assert.deepEqual(given(filter), {
    errors: ["reset, then refused"],
    causes: ["status 503, late"],
  });
  assert.deepEqual(logFilter("url=https://h/a,b,http://h/c"), {
    urls: ["https://h/a,b", "http://h/c"],
  });
  assert.deepEqual(logFilter("callerIp=1.1.1.1&callerIP=2.2.2.2"), {
    callerIps: ["1.1.1.1", "2.2.2.2"],
  });
});

test("states are read in every spelling", () => {
  assert.deepEqual(logFilter("state=IN_PROGRESS"), { states: ["ACTIVE", "RETRY", "ERROR"] });
  assert.deepEqual(logFilter("state=CANCELLED"), { states: ["CANCELED"] });
  assert.deepEqual(logFilter("state=CANCELED"), { states: ["CANCELED"] });
  assert.deepEqual(logFilter("state=delivered"), { states: ["DELIVERED"] });
  assert.throws(() => readLogQuery("state=LOST"), /^Problem: state: /);
});

test("dates, counts and order are strict", () => {
  const { filter, count, order, cursor } = readLogQuery(
    "fromDate=1&toDate=2&count=5&order=earliestFirst&cursor=c%2Bd",
  );
  assert.deepEqual(given(filter), { fromAt: 1, toAt: 2 });
  assert.deepEqual([count, order, cursor], [5, "earliestFirst", "c+d"]);
  for (const query of ["count=0", "count=1001", "count=1e2", "count=-1", "count=1&count=2"]) {
    assert.throws(() => readLogQuery(query), /^Problem: count: /);
  }
  assert.throws(() => readDeadLetterQuery("count=101"), /^Problem: count: /);
  assert.throws(() => readLogQuery("fromDate=today"), /^Problem: fromDate: /);
  assert.throws(() => readLogQuery("order=random"), /^Problem: order: /);
  assert.throws(() => readLogQuery("label=%E0%A4"), /^Problem: label: /);
});

test("a list passes over what clients send to every list, and refuses other names", () => {
  assert.deepEqual(logFilter("trimBody=-1&api=llm&groupBy=messageId&label="), {});
  for (const query of ["x=1", "__proto__=2", "constructor=1", "labels=x"]) {
    assert.throws(() => readLogQuery(query), /is not a known parameter/, query);
    assert.throws(() => readDeadLetterQuery(query), /is not a known parameter/, query);
  }
});

test("dead letters are filtered by status, id and host, never by path", () => {
  assert.deepEqual(given(readDeadLetterQuery("responseStatus=500,503&dlqIds=1-1&host=h").filter), {
    hosts: ["h"],
    statuses: [500, 503],
    deadLetterIds: ["1-1"],
  });
  assert.throws(() => readDeadLetterQuery("path=/"), Problem);
  assert.throws(() => readDeadLetterBulk("path=/", NO_BODY), Problem);
});

test("a call on many refuses what it does not understand", () => {
  const { filter, count, cursor } = readDeadLetterBulk("label=a&count=100", NO_BODY);
  assert.deepEqual(given(filter), { labels: ["a"] });
  assert.deepEqual([count, cursor], [100, null]);
  assert.equal(readDeadLetterBulk("count=1000", NO_BODY).count, 1_000);
  assert.equal(readDeadLetterBulk("", NO_BODY).count, null);
  for (const query of ["labels=a", "label=", "__proto__=1", "constructor=1", "trimBody=1"]) {
    assert.throws(() => readDeadLetterBulk(query, NO_BODY), Problem, query);
  }
  for (const read of [readDeadLetterBulk, readDeadRunBulk]) {
    assert.throws(() => read("count=1001", NO_BODY), /count: must be from 1 to 1000/);
    assert.throws(() => read("over=10m", NO_BODY), /over: is not a known parameter/);
  }
});

test("ids make the other filters meaningless", () => {
  const body = Buffer.from('{"dlqIds":["1-1","2-1"]}');
  for (const query of ["label=a", "dlqIds=3-1"]) {
    const { filter } = readDeadLetterBulk(query, body);
    assert.deepEqual(filter, { deadLetterIds: ["1-1", "2-1"] }, query);
  }
  const { filter } = readDeadLetterBulk("dlqIds=3-1&label=a", NO_BODY);
  assert.deepEqual(filter, { deadLetterIds: ["3-1"] });
  const none = readDeadLetterBulk("", Buffer.from('{"dlqIds":[]}'));
  assert.deepEqual(none.filter, { deadLetterIds: [] });
});

const cancel = (label: readonly string[]): object =>
  readCancelQuery("", Buffer.from(JSON.stringify({ label }))).filter;

test("lists of values and of parameters are bounded", () => {
  const values = Array.from({ length: 1_001 }, (_, index) => `l${index}`);
  assert.throws(() => readLogQuery(`label=${values.join(",")}`), /^Problem: label: has more/);
  assert.throws(() => readLogQuery(`label=${values.join("&label=")}`), /^Problem: label: has more/);
  assert.throws(() => readLogQuery("x&".repeat(2_001)), /more than 2000 parameters/);
  assert.throws(() => cancel(values), /^Problem: label: has more than 1000 values/);
  assert.deepEqual(given(cancel(values.slice(1))), { labels: values.slice(1) });
});

test("a body in any other shape is refused", () => {
  const deep = `{"dlqIds":${"[".repeat(100)}${"]".repeat(100)}}`;
  const many = JSON.stringify({ dlqIds: Array.from({ length: 1_001 }, () => "1-1") });
  const large = JSON.stringify({ dlqIds: ["x".repeat(300_000)] });
  const texts = ["{", "[]", "null", "1", '"dlqIds"', '{"dlqIds":"1-1"}', '{"dlqIds":[1]}'];
  for (const text of [...texts, '{"dlqId":["1-1"]}', '{"__proto__":1}', deep, many, large]) {
    assert.throws(() => readDeadLetterBulk("", Buffer.from(text)), Problem, text.slice(0, 80));
  }
  assert.throws(() => readDeadLetterBulk("", Buffer.from([0xff])), Problem);
});

test("any query is read or refused", () => {
  const names = fc.constantFrom(
    "label",
    "url",
    "state",
    "count",
    "dlqIds",
    "fromDate",
    "__proto__",
  );
  const pair = fc.tuple(names, fc.string({ maxLength: 10 })).map((parts) => parts.join("="));
  fc.assert(
    fc.property(fc.array(fc.oneof(pair, fc.string({ maxLength: 10 }))), (pairs) => {
      for (const read of [readLogQuery, readDeadLetterQuery, bulk]) {
        try {
          read(pairs.join("&"));
        } catch (error) {
          assert.ok(error instanceof Problem, String(error));
          assert.equal(error.status, 400);
        }
      }
    }),
    { numRuns: 3_000 },
  );
});

function bulk(query: string): unknown {
  return readDeadLetterBulk(query, NO_BODY);
}

test("dead letters of runs are asked for by their source", () => {
  assert.deepEqual(["", "source=", "source=workflow"].map(asksForRuns), [false, false, true]);
  assert.throws(() => asksForRuns("source=other"), /source: must be workflow/);
  assert.throws(() => asksForRuns("source=workflow&source=other"), /source: must be workflow/);
  assert.deepEqual(["", "source=workflow"].map(readGroupQuery), [false, true]);
  assert.throws(() => readGroupQuery("label=a"), /label/);
});

test("a page has 100 messages that wait, dead letters or failed runs", () => {
  for (const read of [readLiveQuery, readDeadLetterQuery, readDeadRunQuery]) {
    assert.equal(read("").count, 100);
    assert.equal(read("count=100").count, 100);
    assert.throws(() => read("count=101"), /count: must be from 1 to 100/);
  }
  assert.throws(() => readLiveQuery("order=latestFirst"), /order: is not a known parameter/);
  assert.deepEqual(given(readDeadRunQuery("api=1").filter), {});
});
