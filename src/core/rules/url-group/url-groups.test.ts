import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsOf } from "../../../../test/support/rows.ts";
import type { Endpoint, EndpointChoice, Topic } from "../../model/url-group/url-group.ts";
import { putEndpoints, removeEndpoints, removeTopic, setTopicHeaders } from "./url-groups.ts";

const AT = 2_000;
const KEY = { accountId: "account", name: "group" };
const A = { url: "https://a.test", name: "first" };
const B = { url: "https://b.test" };
const C = { url: "https://c.test", name: "third one" };

function group(...endpoints: Endpoint[]): Topic {
  return { ...KEY, endpoints, headers: [["Svc-Retries", "1"]], createdAt: 1_000, updatedAt: 1_000 };
}

function put(
  known: Topic | null,
  endpoints: readonly Endpoint[],
  limits = { topicsMax: 10, endpointsPerTopicMax: 10 },
  topics = 0,
) {
  const rows = rowsOf({ topics: known === null ? [] : [known], counts: { topics } });
  return putEndpoints.decide({ rule: "put-endpoints", at: AT, key: KEY, endpoints, limits }, rows);
}

function endpointsAfter(known: Topic, given: Endpoint) {
  const { answer } = put(known, [given]);
  return "endpoints" in answer ? answer.endpoints : answer;
}

function remove(known: Topic | null, ...endpoints: EndpointChoice[]) {
  const rows = rowsOf({ topics: known === null ? [] : [known] });
  return removeEndpoints.decide({ rule: "remove-endpoints", at: AT, key: KEY, endpoints }, rows);
}

test("the first endpoints make the group", () => {
  const { changes, answer } = put(null, [A, B]);
  const topic = { ...KEY, endpoints: [A, B], headers: [], createdAt: AT, updatedAt: AT };
  assert.deepEqual(answer, topic);
  assert.deepEqual(changes, [{ type: "topic.put", topic }]);
});

test("further ones come after those that are there, which keep their headers and age", () => {
  const { answer } = put(group(A), [C, B]);
  assert.deepEqual(answer, { ...group(A, C, B), updatedAt: AT });
});

test("an endpoint with the same url or the same name is changed in its place", () => {
  assert.deepEqual(endpointsAfter(group(A, B), { url: A.url, name: "renamed" }), [
    { url: A.url, name: "renamed" },
    B,
  ]);
  assert.deepEqual(endpointsAfter(group(A, B), { url: A.url }), [A, B]);
  const moved = { url: "https://new.test", name: "first" };
  assert.deepEqual(endpointsAfter(group(A, B), moved), [moved, B]);
  assert.deepEqual(endpointsAfter(group(B, A, C), { url: C.url, name: "first" }), [
    B,
    { url: C.url, name: "first" },
  ]);
});

test("an endpoint that is given twice is there once", () => {
  const { answer } = put(null, [A, B, A, { url: B.url, name: "second" }]);
  assert.deepEqual("endpoints" in answer && answer.endpoints, [A, { ...B, name: "second" }]);
});

test("a plan's limits stand against a further group and against further endpoints", () => {
  const limits = { topicsMax: 2, endpointsPerTopicMax: 2 };
  assert.deepEqual(put(null, [A], limits, 2), {
    changes: [],
    answer: { quota: "maxTopics", limit: 2 },
  });
  assert.deepEqual(put(group(A), [B, C], limits, 1), {
    changes: [],
    answer: { quota: "maxEndpointsPerTopic", limit: 2 },
  });
  assert.equal(put(null, [A, B], limits, 1).changes.length, 1);
  assert.equal(put(group(A), [B], limits, 2).changes.length, 1);
});

test("endpoints are removed by url, by name, or by both", () => {
  for (const [choice, left] of [
    [{ url: A.url }, [B, C]],
    [{ name: "third one" }, [A, B]],
    [{ url: A.url, name: "first" }, [B, C]],
    [{ url: A.url, name: "other" }, [A, B, C]],
    [{ name: "nobody" }, [A, B, C]],
  ] as const) {
    const { changes, answer } = remove(group(A, B, C), choice);
    assert.equal(answer, "removed");
    const topic = { ...group(...left), updatedAt: AT };
    assert.deepEqual(changes, [{ type: "topic.put", topic }]);
  }
});

test("a group goes with its last endpoint, and one that is not there is missing", () => {
  assert.deepEqual(remove(group(A, B), { url: A.url }, { url: B.url }).changes, [
    { type: "topic.removed", key: KEY },
  ]);
  assert.deepEqual(remove(null, A), { changes: [], answer: "missing" });
});

test("headers replace those that were there", () => {
  const act = {
    rule: "set-topic-headers",
    at: AT,
    key: KEY,
    headers: [["Svc-Delay", "1s"]],
  } as const;
  const { answer } = setTopicHeaders.decide(act, rowsOf({ topics: [group(A)] }));
  assert.deepEqual(answer, { ...group(A), headers: [["Svc-Delay", "1s"]], updatedAt: AT });
  assert.equal(setTopicHeaders.decide(act, rowsOf({})).answer, null);
});

test("removing a group that is not there changes nothing", () => {
  const act = { rule: "remove-topic", key: KEY } as const;
  assert.deepEqual(removeTopic.decide(act, rowsOf({})).changes, []);
  assert.equal(removeTopic.decide(act, rowsOf({ topics: [group(A)] })).changes.length, 1);
});
