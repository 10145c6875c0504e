import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsOf } from "../../../../test/support/rows.ts";
import type { Endpoint, EndpointChoice, UrlGroup } from "../../model/url-group/url-group.ts";
import { putEndpoints, removeEndpoints, removeUrlGroup, setUrlGroupHeaders } from "./url-groups.ts";

const AT = 2_000;
const KEY = { accountId: "account", name: "group" };
const A = { url: "https://a.test", name: "first" };
const B = { url: "https://b.test" };
const C = { url: "https://c.test", name: "third one" };

function group(...endpoints: Endpoint[]): UrlGroup {
  return { ...KEY, endpoints, headers: [["Svc-Retries", "1"]], createdAt: 1_000, updatedAt: 1_000 };
}

function put(
  known: UrlGroup | null,
  endpoints: readonly Endpoint[],
  limits = { urlGroupsMax: 10, endpointsPerUrlGroupMax: 10 },
  urlGroups = 0,
) {
  const rows = rowsOf({ urlGroups: known === null ? [] : [known], counts: { urlGroups } });
  return putEndpoints.decide({ rule: "put-endpoints", at: AT, key: KEY, endpoints, limits }, rows);
}

function endpointsAfter(known: UrlGroup, given: Endpoint) {
  const { answer } = put(known, [given]);
  return "endpoints" in answer ? answer.endpoints : answer;
}

function remove(known: UrlGroup | null, ...endpoints: EndpointChoice[]) {
  const rows = rowsOf({ urlGroups: known === null ? [] : [known] });
  return removeEndpoints.decide({ rule: "remove-endpoints", at: AT, key: KEY, endpoints }, rows);
}

test("to put endpoints takes the account, whose groups are counted", () => {
  const limits = { urlGroupsMax: 10, endpointsPerUrlGroupMax: 10 };
  const act = { rule: "put-endpoints", at: AT, key: KEY, endpoints: [A], limits } as const;
  assert.deepEqual(putEndpoints.needs(act), {
    urlGroups: [KEY],
    accounts: ["account"],
    counts: [{ accountId: "account", noun: "urlGroups" }],
  });
});

test("the first endpoints make the group", () => {
  const { changes, answer } = put(null, [A, B]);
  const urlGroup = { ...KEY, endpoints: [A, B], headers: [], createdAt: AT, updatedAt: AT };
  assert.deepEqual(answer, urlGroup);
  assert.deepEqual(changes, [{ type: "url-group.put", urlGroup }]);
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
  const limits = { urlGroupsMax: 2, endpointsPerUrlGroupMax: 2 };
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
    [{ name: "unknown" }, [A, B, C]],
  ] as const) {
    const { changes, answer } = remove(group(A, B, C), choice);
    assert.equal(answer, "removed");
    const urlGroup = { ...group(...left), updatedAt: AT };
    assert.deepEqual(changes, [{ type: "url-group.put", urlGroup }]);
  }
});

test("a group goes with its last endpoint, and one that is not there is missing", () => {
  assert.deepEqual(remove(group(A, B), { url: A.url }, { url: B.url }).changes, [
    { type: "url-group.removed", key: KEY },
  ]);
  assert.deepEqual(remove(null, A), { changes: [], answer: "missing" });
});

test("headers replace those that were there", () => {
  const act = {
    rule: "set-url-group-headers",
    at: AT,
    key: KEY,
    headers: [["Svc-Delay", "1s"]],
  } as const;
  const { answer } = setUrlGroupHeaders.decide(act, rowsOf({ urlGroups: [group(A)] }));
  assert.deepEqual(answer, { ...group(A), headers: [["Svc-Delay", "1s"]], updatedAt: AT });
  assert.equal(setUrlGroupHeaders.decide(act, rowsOf({})).answer, null);
});

test("removing a group that is not there changes nothing", () => {
  const act = { rule: "remove-url-group", key: KEY } as const;
  assert.deepEqual(removeUrlGroup.decide(act, rowsOf({})).changes, []);
  assert.equal(removeUrlGroup.decide(act, rowsOf({ urlGroups: [group(A)] })).changes.length, 1);
});
