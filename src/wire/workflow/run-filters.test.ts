import assert from "node:assert/strict";
import test from "node:test";

import { readRunCancelQuery } from "../filters/filters.ts";

const read = (query: string, body?: unknown) =>
  readRunCancelQuery(query, Buffer.from(body === undefined ? "" : JSON.stringify(body)));

test("filters are read from the query, the body or both", () => {
  const filter = { labels: ["x"], workflowUrls: ["https://example.com/a"], isUrlPrefix: false };
  const inBody = {
    label: ["x"],
    workflowUrl: "https://example.com/a",
    workflowUrlExactMatch: true,
  };
  assert.deepEqual(given(read("", inBody).filter), filter);
  const { workflowUrlExactMatch: _, ...others } = inBody;
  assert.deepEqual(given(read("workflowUrlExactMatch=true", others).filter), filter);
});

test("a body without a count means all; a query without one, a hundred", () => {
  assert.equal(read("", { label: "x" }).count, null);
  assert.equal(read("", { label: "x", count: 7 }).count, 7);
  assert.equal(read("", { label: "x", count: "7" }).count, 7);
  assert.equal(read("label=x").count, 100);
});

test("an empty list of ids names no run", () => {
  assert.deepEqual(read("", { workflowRunIds: [] }), {
    filter: { runIds: [] },
    count: null,
    isDryRun: false,
  });
});

test("beside ids the other filters and the count mean nothing, and a dry run is one", () => {
  const runIds = ["wfr_1", "wfr_2"];
  const body = { workflowRunIds: runIds, label: "x", count: 1, dryRun: true };
  assert.deepEqual(read("", body), { filter: { runIds }, count: null, isDryRun: true });
});

test("a filter that is not understood is refused, since ignoring it would cancel more", () => {
  const bodies: readonly [body: unknown, says: RegExp][] = [
    [{ label: null }, /label: must be a text/],
    [{ label: [] }, /label: is empty/],
    [{ labels: "x" }, /labels/],
    [{ label: "" }, /label: must be a text/],
    [{ label: ["x", ""] }, /label: must be a text/],
    [{ label: "x\u0000" }, /label: holds a control character/],
    [{ fromDate: "" }, /fromDate: must be one value/],
    [{ fromDate: null }, /fromDate: must be one value/],
    [{ fromDate: [1] }, /fromDate: must be one value/],
    [{ count: 0 }, /count/],
    [{ count: 1_001 }, /count/],
    [{ workflowUrlExactMatch: "maybe" }, /workflowUrlExactMatch/],
  ];
  for (const [body, message] of bodies) {
    assert.throws(() => read("", body), { kind: "invalid-request", message });
  }
});

const given = (filter: object) =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
