/** When messages are due that have not been tried: asked for once, and not of those that are sent at once. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import type { MessageRow } from "../../dashboard/src/message/message-row.ts";
import { dashboardModule, pass, UsedHook } from "../support/dashboard-modules.ts";

const { useDueTimes } = await dashboardModule<{
  useDueTimes: (rows: readonly MessageRow[]) => readonly MessageRow[];
}>("message/due-times.ts");

let asked: URL[] = [];
/** What the server says. */
let answer: () => object = () => ({});
const parts: { leave: () => Promise<void> }[] = [];

describe("due times of rows", () => {
  beforeEach(() => {
    asked = [];
    mock.timers.enable({ apis: ["setTimeout"] });
    mock.method(globalThis, "fetch", async (path: string) => {
      asked.push(new URL(path, "http://postrider"));
      return Response.json(answer());
    });
  });
  afterEach(async () => {
    for (const part of parts.splice(0)) await part.leave();
    await pass(2_000);
    mock.restoreAll();
    mock.timers.reset();
  });

  test("when an untried message is due is asked once, and not of one that is sent at once", async () => {
    const untried = [row("a"), row("b"), row("sent", { state: "DELIVERED" })];
    answer = () => ({ messages: [{ messageId: "a", notBefore: 77 }] });
    const due = new UsedHook(useDueTimes, untried.slice(0, 1));
    parts.push(due);
    await pass(0);
    due.draw([row("a", { state: "ACTIVE" })]);
    await pass(0);
    await pass(1_000);
    assert.equal(asked.length, 0);
    due.draw(untried);
    await pass(0);
    await pass(399);
    assert.equal(asked.length, 0);
    await pass(1);
    assert.equal(asked[0]!.searchParams.get("messageIds"), "a,b");
    assert.deepEqual(
      due.value.map(({ nextAt }) => nextAt),
      [77, null, null],
    );
    due.draw([...untried, row("c")]);
    await pass(0);
    await pass(1_000);
    assert.deepEqual(
      asked.map(({ searchParams }) => searchParams.get("messageIds")),
      ["a,b", "c"],
    );
  });
});

function row(id: string, more: Partial<MessageRow> = {}): MessageRow {
  return {
    id,
    url: "https://example.com/a",
    method: "POST",
    labels: [],
    queue: null,
    key: null,
    state: "CREATED",
    changedAt: 0,
    nextAt: null,
    attemptsMax: 4,
    attempts: 0,
    tookMs: null,
    status: null,
    error: null,
    ...more,
  };
}
