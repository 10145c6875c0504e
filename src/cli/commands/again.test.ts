import assert from "node:assert/strict";
import { test } from "node:test";
import type { Selection } from "../../../sdk/src/selection.ts";
import { Flags } from "../flags.ts";
import { Output } from "../terminal/output.ts";
import { changeAll, type Changed } from "./again.ts";

const output = new Output(new Flags({}));

const sentence = (count: number): string => `${count} deleted.`;

test("a bulk change goes on until the server has no cursor", async () => {
  for (const selection of [{ filter: { label: "a" } }, { all: true }] as const) {
    const asked: unknown[] = [];
    const cursors = ["1", "2", ""];
    const change = async (some: Selection<object>) => {
      asked.push(some);
      return { count: 10, cursor: cursors.shift() };
    };
    assert.equal(await changeAll<object>(output, { selection, change, sentence }), 30);
    assert.deepEqual(asked, [
      selection,
      { ...selection, cursor: "1" },
      { ...selection, cursor: "2" },
    ]);
  }
});

test("a bulk change that fails midway says what it did", async ({ mock }) => {
  const said = mock.method(process.stderr, "write", () => true);
  const all = { selection: { all: true }, change: changeOnce, sentence } as const;
  await assert.rejects(changeAll<object>(output, all), /gone/);
  const ids = { selection: ["a"], change: changeOnce, sentence } as const;
  await assert.rejects(changeAll<object>(output, ids), /did not finish/);
  const lines = said.mock.calls.map((call) => String(call.arguments[0]));
  assert.deepEqual(
    lines.filter((line) => line.startsWith("so far")),
    ["so far: 10 deleted.\n", "so far: 10 deleted.\n"],
  );
});

test("Ctrl-C ends a bulk change after the request under way, and says what it did", async (t) => {
  const said = t.mock.method(process.stderr, "write", () => true);
  const before = process.listeners("SIGINT").length;
  const all = { selection: { all: true }, change: changeInterrupted, sentence } as const;
  const interrupted = changeAll<object>(output, all);
  await assert.rejects(interrupted, { message: "stopped by Ctrl-C", exitCode: 130 });
  const lines = said.mock.calls.map((call) => String(call.arguments[0]));
  said.mock.restore();
  assert.deepEqual(lines, ["so far: 10 deleted.\n"]);
  assert.equal(process.listeners("SIGINT").length, before);
});

async function changeOnce(some: Selection<object>): Promise<Changed> {
  if (typeof some === "object" && "cursor" in some) throw new Error("gone");
  return { count: 10, cursor: "1" };
}

async function changeInterrupted(): Promise<Changed> {
  process.emit("SIGINT");
  return { count: 10, cursor: "1" };
}
