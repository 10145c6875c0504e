import assert from "node:assert/strict";
import { test } from "node:test";
import type { StatQuery } from "../../wire/account/stats.ts";
import type { Context } from "../context.ts";
import { readHosts, readSeries } from "./stats.ts";

function context() {
  const asked: unknown[] = [];
  const answer =
    (name: string) =>
    (...args: unknown[]) => {
      asked.push([name, ...args]);
      return Promise.resolve([name]);
    };
  const stats = { series: answer("series"), backlog: answer("backlog"), hosts: answer("hosts") };
  const freshStats = {
    record: async () => {
      await Promise.resolve();
      asked.push("recorded");
    },
  };
  return { asked, context: { store: { reader: { stats } }, freshStats } as unknown as Context };
}

test("numbers are read after what this node has counted is written", async () => {
  const query = { fromAt: 1, untilAt: 2 } as unknown as StatQuery;
  const series = context();
  const found = await readSeries(series.context, "account", query);
  assert.deepEqual(found, { points: ["series"], backlog: ["backlog"] });
  const [first, ...reads] = series.asked;
  assert.equal(first, "recorded");
  assert.deepEqual(reads, [
    ["series", "account", query],
    ["backlog", "account", query],
  ]);
  const hosts = context();
  await readHosts(hosts.context, "account", { fromAt: 5, count: 7 });
  assert.deepEqual(hosts.asked, ["recorded", ["hosts", "account", 5, 7]]);
});

test("the numbers of one host have no backlog, which is that of all", async () => {
  const { asked, context: of } = context();
  const query = { host: "example.com" } as unknown as StatQuery;
  assert.deepEqual(await readSeries(of, "account", query), { points: ["series"], backlog: [] });
  assert.deepEqual(asked, ["recorded", ["series", "account", query]]);
});
