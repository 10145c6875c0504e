import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "./client/client.ts";
import { Page } from "./page.ts";
import { selectionQuery, selectsNothing } from "./selection.ts";

const NAMES = { label: true } as const;

test("selects by id, by ids, by filter, or all", () => {
  assert.deepEqual(selectionQuery("a", "dlqIds", NAMES), { dlqIds: ["a"] });
  assert.deepEqual(selectionQuery(["a", "b"], "dlqIds", NAMES), { dlqIds: ["a", "b"] });
  assert.deepEqual(selectionQuery({ all: true }, "dlqIds", NAMES), {});
  assert.deepEqual(selectionQuery({ all: true, cursor: "5" }, "dlqIds", NAMES), { cursor: "5" });
  assert.deepEqual(selectionQuery({ filter: { label: "x" }, count: 5 }, "dlqIds", NAMES), {
    label: "x",
    count: 5,
    cursor: undefined,
  });
});

test("an empty filter does not mean all, and an empty list means none", () => {
  assert.throws(() => selectionQuery({ filter: {} }, "dlqIds", NAMES), /all: true/);
  assert.throws(
    () => selectionQuery({ filter: { label: undefined } }, "dlqIds", NAMES),
    /all: true/,
  );
  for (const odd of [{ all: false }, { all: false, cuont: 1 }, { filter: { lable: "x" } }, {}]) {
    assert.throws(() => selectionQuery(odd as { all: true }, "dlqIds", NAMES), /option/);
  }
  for (const odd of [
    { all: true, filter: { label: "x" } },
    { all: true, count: 1 },
    { all: false, count: 1 },
    { all: "label" },
  ]) {
    assert.throws(() => selectionQuery(odd as { all: true }, "dlqIds", NAMES), {
      name: "PostriderError",
    });
  }
  assert.deepEqual(selectionQuery({ filter: { label: "x" }, all: undefined }, "dlqIds", NAMES), {
    label: "x",
    count: undefined,
    cursor: undefined,
  });
  assert.equal(selectsNothing([]), true);
  assert.equal(selectsNothing(["a"]), false);
  assert.equal(selectsNothing("a"), false);
});

test("a list without values selects nothing by mistake", async () => {
  const asked: string[] = [];
  const answer = (url: string | URL | Request): Promise<Response> => {
    asked.push(url as string);
    return Promise.resolve(Response.json({}));
  };
  const { messages, dlq, workflow } = new Client({
    baseUrl: "http://x",
    token: "t",
    fetch: answer,
  });
  for (const label of [[], [undefined], ["x", undefined], [null], null] as unknown as string[]) {
    for (const call of [
      () => messages.cancel({ filter: { label } }),
      () => messages.retry({ filter: { label } }),
      () => messages.count("cancel", { filter: { label } }),
      () => messages.list({ label }),
      () => dlq.delete({ filter: { label } }),
      () => dlq.retry({ filter: { label } }),
      () => workflow.cancel({ filter: { label } }),
      () => workflow.dlq.resume({ filter: { label } }),
    ]) {
      await assert.rejects(call, { name: "PostriderError", message: /^label / });
    }
  }
  for (const ids of [[undefined], [null], ["a", undefined]] as unknown as string[][]) {
    await assert.rejects(messages.cancel(ids), { name: "PostriderError", message: /^messageIds / });
    await assert.rejects(dlq.delete(ids), { name: "PostriderError", message: /^dlqIds / });
  }
  assert.deepEqual(asked, []);
});

test("a loop over a page goes on over the pages after it", async () => {
  const pages = [["a", "b"], [], ["c"]];
  const page = (n: number): Page<string> =>
    new Page(pages[n]!, n < 2 ? String(n + 1) : "", (cursor) =>
      Promise.resolve(page(Number(cursor))),
    );
  const seen: string[] = [];
  for await (const item of page(0)) seen.push(item);
  assert.deepEqual(seen, ["a", "b", "c"]);
  assert.equal(page(0).cursor, "1");
  assert.equal(page(2).cursor, undefined);
});
