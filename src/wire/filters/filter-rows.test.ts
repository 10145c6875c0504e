import assert from "node:assert/strict";
import { test } from "node:test";
import { list, text, integer } from "../json/schema.ts";
import { readParameters, readValues } from "./filter-parameters.ts";
import { COUNT, filterOf, type ListName, ORDER, OVER, rowsOf } from "./filter-rows.ts";
import { filterBody } from "./filters.ts";

const OF_ALL = ["callerIp", "callerIP", "label", "flowControlKey", "search"];
const OF_MESSAGES = [
  "url",
  "urlPrefix",
  "topicName",
  "scheduleId",
  "queueName",
  "host",
  "path",
  ...OF_ALL,
];
const DATES = ["fromDate", "toDate"];
const PAGED = ["count", "order", "cursor"];
const DEAD = ["responseStatus", "error", "errorText", "cause", ...DATES, ...PAGED, "source"];

/** What clients may ask each list for. */
const NAMES: Readonly<Record<ListName, readonly string[]>> = {
  logs: [
    "messageId",
    "messageIds",
    ...OF_MESSAGES,
    "state",
    "responseStatus",
    "errorText",
    ...DATES,
    ...PAGED,
  ],
  liveMessages: ["messageIds", ...OF_MESSAGES, "waitingFor", ...DATES, "count"],
  deadLetters: ["messageId", "messageIds", "dlqIds", ...OF_MESSAGES, ...DEAD],
  runLog: [
    "workflowUrl",
    "workflowRunId",
    "workflowCreatedAt",
    ...OF_ALL,
    ...DATES,
    "count",
    "cursor",
  ],
  liveRuns: ["workflowRunIds", "workflowUrl", ...OF_ALL, ...DATES, "count"],
  deadRuns: [
    "dlqIds",
    "workflowUrl",
    "url",
    "workflowRunId",
    "workflowCreatedAt",
    "host",
    ...OF_ALL,
    "failureFunctionState",
    "failureCallbackState",
    ...DEAD,
  ],
};

for (const [name, names] of Object.entries(NAMES)) {
  test(`the parameters of ${name}`, () => {
    const known = rowsOf(name as ListName).map((row) => row.name);
    assert.deepEqual([...new Set(known)], names);
  });
}

/** The filter that a query is read as. */
function filterIn(name: ListName, query: string): object {
  const rows = rowsOf(name);
  const filter = filterOf(readValues(query, rows, "strict"), rows);
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

test("each name is read as the filter that it stands for", () => {
  assert.deepEqual(filterIn("deadRuns", "failureFunctionState=CALLBACK_FAIL"), {
    reportStates: ["failed"],
  });
  assert.deepEqual(filterIn("deadRuns", "failureCallbackState=CALLBACK_INPROGRESS"), {
    reportStates: ["in-progress"],
  });
  assert.deepEqual(filterIn("deadRuns", "url=https://a.test&workflowCreatedAt=7"), {
    workflowUrls: ["https://a.test"],
    createdAts: [7],
  });
  assert.deepEqual(filterIn("deadLetters", "responseStatus=0,500&cause=c&topicName=g"), {
    statuses: [0, 500],
    causes: ["c"],
    urlGroups: ["g"],
  });
  assert.deepEqual(filterIn("logs", "state=CANCELLED,IN_PROGRESS&host=a.test&callerIP=::1"), {
    states: ["CANCELED", "ACTIVE", "RETRY", "ERROR"],
    hosts: ["a.test"],
    callerIps: ["::1"],
  });
  assert.deepEqual(filterIn("logs", "search=a,b&urlPrefix=https://a.test/x&responseStatus=503"), {
    search: "a,b",
    urlPrefixes: ["https://a.test/x"],
    statuses: [503],
  });
  assert.deepEqual(filterIn("liveMessages", "waitingFor=delay,queue-full"), {
    waitingFor: ["delay", "queue-full"],
  });
  assert.throws(() => filterIn("liveMessages", "waitingFor=tea"), /waitingFor: must be one of/);
  assert.deepEqual(filterIn("liveRuns", "workflowRunIds=r&fromDate=1&toDate=2"), {
    runIds: ["r"],
    fromAt: 1,
    toAt: 2,
  });
});

test("a comma in a URL is one, before another URL it ends it", () => {
  const urls = "https://a.test/x,y,https://b.test";
  const both = ["https://a.test/x,y", "https://b.test"];
  for (const name of ["runLog", "liveRuns", "deadRuns"] as const) {
    assert.deepEqual(filterIn(name, `workflowUrl=${urls}`), { workflowUrls: both });
  }
  for (const name of ["logs", "liveMessages", "deadLetters"] as const) {
    assert.deepEqual(filterIn(name, `url=${urls}`), { urls: both });
    assert.deepEqual(filterIn(name, `urlPrefix=${urls}`), { urlPrefixes: both });
  }
  assert.deepEqual(filterIn("deadRuns", `url=${urls}`), { workflowUrls: both });
  assert.deepEqual(filterIn("logs", "flowControlKey=a,b&label=a,b"), {
    flowControlKeys: ["a", "b"],
    labels: ["a", "b"],
  });
});

test("a list is ordered from either end", () => {
  for (const order of ["latestFirst", "earliestFirst"]) {
    assert.deepEqual(readParameters(`order=${order}`, [ORDER]), { order });
  }
  assert.throws(() => readParameters("order=other", [ORDER]), /order: /);
});

test("what is started is spread over up to a day", () => {
  assert.deepEqual(readParameters("over=1d", [OVER]), { over: 86_400_000 });
  assert.throws(() => readParameters("over=1d1s", [OVER]), /over: is longer than 1d/);
});

test("a body of filters takes one value of what is single, else a list", () => {
  const says = "Says.";
  const several = { ...COUNT, name: "ids", splits: "everywhere", says, value: text() } as const;
  const { says: _says, ...hidden } = { ...COUNT, name: "hidden" };
  assert.deepEqual(filterBody([COUNT, several, hidden]), {
    type: "object",
    properties: { count: { ...integer(), description: COUNT.says }, ids: list(text(), says) },
  });
});
