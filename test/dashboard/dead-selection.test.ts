/** Which dead letters are chosen, and the groups of them while they are watched. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import { dashboardModule, pass, UsedHook } from "../support/dashboard-modules.ts";
import { StubStream } from "../support/stub-stream.ts";

type Kind = "messages" | "runs";
interface Batch {
  readonly key: string;
  readonly kind: Kind;
  readonly count: number;
  readonly isAtLeast: boolean;
  readonly query: object;
}
interface Chosen {
  readonly batches: ReadonlyMap<string, Batch>;
  readonly letters: ReadonlyMap<string, Kind>;
}
interface Table {
  readonly keys: ReadonlySet<string>;
  readonly toggle: (key: string, shown: readonly string[], isRange: boolean) => void;
  readonly set: (keys: ReadonlySet<string>) => void;
}
interface Selection {
  readonly chosen: Chosen;
  readonly toggleBatch: (batch: Batch, shown: readonly string[]) => void;
  readonly setBatches: (batches: readonly Batch[]) => void;
  readonly clear: () => void;
  readonly forTable: (batch: Batch | null, kind: Kind) => Table;
}
interface Groups {
  readonly groups: readonly Batch[] | null;
  readonly hasNews: boolean;
  readonly samplesOf: (group: Batch) => readonly { readonly dlqId: string }[];
  readonly reload: () => void;
}

const { countOf, isAbout, useDeadSelection } = await dashboardModule<{
  countOf: (chosen: Chosen, kind: Kind) => number;
  isAbout: (chosen: Chosen) => boolean;
  useDeadSelection: () => Selection;
}>("dead-letter/dead-selection.ts");
const { useDeadGroups } = await dashboardModule<{
  useDeadGroups: (canMove: () => boolean, by: "error" | "host" | null) => Groups;
}>("dead-letter/dead-group-list.ts");

const SHOWN = ["a", "b", "c", "d"];
const parts: { leave: () => Promise<void> }[] = [];
/** Counts of the groups by their status, as the server has them now. */
let counts: Record<string, number> = {};
let canMove = true;

describe("chosen dead letters", () => {
  beforeEach(() => {
    StubStream.opened.length = 0;
    canMove = true;
    mock.timers.enable({ apis: ["setTimeout"] });
    mock.method(globalThis, "fetch", async (path: string) => Response.json(answer(path)));
  });
  afterEach(async () => {
    for (const part of parts.splice(0)) await part.leave();
    await pass(2_000);
    mock.restoreAll();
    mock.timers.reset();
  });

  test("one by one, and again to leave it out", async () => {
    const selection = await choose();
    await toggle(selection, "b");
    await toggle(selection, "c", false, "runs");
    assert.deepEqual(letters(selection), ["b messages", "c runs"]);
    await toggle(selection, "b");
    assert.deepEqual(letters(selection), ["c runs"]);
  });

  test("from the last one up to this, in either direction, both included", async () => {
    const selection = await choose();
    await toggle(selection, "b");
    await toggle(selection, "d", true);
    assert.deepEqual(ids(selection), ["b", "c", "d"]);
    await toggle(selection, "a", true);
    assert.deepEqual(ids(selection), ["a", "b", "c", "d"]);
  });

  test("a range without a beginning in this table is the one alone", async () => {
    const selection = await choose();
    await toggle(selection, "c", true);
    assert.deepEqual(ids(selection), ["c"]);
  });

  test("a whole batch takes the place of those chosen in it, and is left as a whole", async () => {
    const selection = await choose();
    await toggle(selection, "a");
    selection.value.forTable(null, "messages").set(new Set(["elsewhere"]));
    await pass(0);
    selection.value.toggleBatch(batch("500", 40), SHOWN);
    await pass(0);
    assert.deepEqual(ids(selection), ["elsewhere"]);
    assert.equal(countOf(selection.value.chosen, "messages"), 41);
    selection.value.toggleBatch(batch("500", 40), SHOWN);
    await pass(0);
    assert.equal(countOf(selection.value.chosen, "messages"), 1);
    selection.value.clear();
    await pass(0);
    assert.equal(countOf(selection.value.chosen, "messages"), 0);
  });

  test("one that leaves a batch leaves the others that are shown, one by one", async () => {
    const selection = await choose();
    selection.value.setBatches([batch("500", 40), batch("404", 2)]);
    await pass(0);
    selection.value.forTable(batch("500", 40), "messages").toggle("b", SHOWN, false);
    await pass(0);
    assert.deepEqual(ids(selection), ["a", "c", "d"]);
    assert.deepEqual([...selection.value.chosen.batches.keys()], ["404"]);
  });

  test("counted by kind, and about when one of the batches may be larger", async () => {
    const chosen: Chosen = {
      batches: new Map([
        ["1", batch("1", 40)],
        ["2", { ...batch("2", 7), kind: "runs" }],
      ]),
      letters: new Map([
        ["a", "messages"],
        ["b", "runs"],
        ["c", "runs"],
      ]),
    };
    assert.deepEqual([countOf(chosen, "messages"), countOf(chosen, "runs")], [41, 9]);
    assert.equal(isAbout(chosen), false);
    const more = new Map([...chosen.batches, ["3", { ...batch("3", 1), isAtLeast: true }]]);
    assert.equal(isAbout({ ...chosen, batches: more }), true);
  });

  test("groups: the counts change in place while the reader is among them, and news are said", async () => {
    counts = { 500: 5, 404: 3 };
    const groups = new UsedHook(useDeadGroups, () => canMove, "error");
    parts.push(groups);
    await pass(0);
    assert.deepEqual(countsOf(groups), ["500 5", "404 3"]);
    canMove = false;
    counts = { 404: 9, 500: 6 };
    await pass(10_000);
    assert.deepEqual([countsOf(groups), groups.value.hasNews], [["500 6", "404 9"], false]);
    counts = { 503: 20, 404: 9 };
    await pass(10_000);
    assert.deepEqual([countsOf(groups), groups.value.hasNews], [["500 0", "404 9"], true]);
    groups.value.reload();
    await pass(0);
    assert.deepEqual([countsOf(groups), groups.value.hasNews], [["503 20", "404 9"], false]);
    counts = { 404: 30, 503: 20 };
    canMove = true;
    await pass(10_000);
    assert.deepEqual(countsOf(groups), ["404 30", "503 20"]);
    const [first] = groups.value.groups!;
    assert.deepEqual(
      groups.value.samplesOf(first!).map(({ dlqId }) => dlqId),
      ["1-404"],
    );
  });
});

function batch(key: string, count: number): Batch {
  return { key, kind: "messages", count, isAtLeast: false, query: {} };
}

async function choose(): Promise<UsedHook<[], Selection>> {
  const selection = new UsedHook(useDeadSelection);
  parts.push(selection);
  await pass(0);
  return selection;
}

async function toggle(
  { value }: { readonly value: Selection },
  key: string,
  isRange = false,
  kind: Kind = "messages",
): Promise<void> {
  value.forTable(null, kind).toggle(key, SHOWN, isRange);
  await pass(0);
}

function letters({ value }: { readonly value: Selection }): string[] {
  return [...value.chosen.letters].map(([id, kind]) => `${id} ${kind}`);
}

function ids({ value }: { readonly value: Selection }): string[] {
  return [...value.forTable(null, "messages").keys].toSorted();
}

function countsOf({ value }: { readonly value: Groups }): string[] {
  return value.groups!.map(({ key, count }) => `${key.split(" ")[1]} ${count}`);
}

/** Messages alone: there are no dead runs. */
function answer(path: string): object {
  const isOfMessages = path.startsWith("/v2/dlq") && !path.includes("source=workflow");
  const all = isOfMessages ? Object.entries(counts) : [];
  const rows = all.map(([status, count]) => ({
    responseStatus: Number(status),
    cause: `status ${status}`,
    count,
    firstAt: 1,
    lastAt: 1,
    dlqId: `1-${status}`,
    url: "https://example.com/",
  }));
  return path.startsWith("/v2/dlq/groups") ? { groups: rows } : { messages: rows };
}
