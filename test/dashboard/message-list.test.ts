/** The messages while they are watched: pages of two lists of the API, news from the stream, due times of the rest. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import type { LogEntry } from "../../sdk/src/answers/message.ts";
import type { MessageFilter } from "../../dashboard/src/message/message-filter.ts";
import type { MessageRow } from "../../dashboard/src/message/message-row.ts";
import { dashboardModule, pass, UsedHook } from "../support/dashboard-modules.ts";
import { StubStream } from "../support/stub-stream.ts";

interface MessageList {
  readonly rows: readonly MessageRow[];
  readonly pendingCount: number;
  readonly sampleOf: number;
  readonly hasMore: boolean;
}
interface RowPage {
  readonly rows: readonly MessageRow[];
  readonly cursor: string | null;
}

const { useMessageList } = await dashboardModule<{
  useMessageList: (filter: MessageFilter, isLive: boolean, canEnter: () => boolean) => MessageList;
}>("message/message-list.ts");
const { loadPage } = await dashboardModule<{
  loadPage: (filter: MessageFilter, cursor: string | null, gone: AbortSignal) => Promise<RowPage>;
}>("message/message-pages.ts");
const { useDueTimes } = await dashboardModule<{
  useDueTimes: (rows: readonly MessageRow[]) => readonly MessageRow[];
}>("message/due-times.ts");

const { second } = await dashboardModule<{ second: { value: number } }>("app/clock.ts");

const ALL: MessageFilter = {
  state: null,
  ids: null,
  q: null,
  status: null,
  error: null,
  waiting: null,
  label: null,
  url: null,
  host: null,
  queue: null,
  key: null,
  schedule: null,
  group: null,
  time: null,
};

let asked: URL[] = [];
/** What the server says of a path with this query. */
let answer: (url: URL) => object = () => ({ logs: [] });
let canEnter = true;
let tests = 0;
const parts: { leave: () => Promise<void> }[] = [];

describe("the messages while they are watched", () => {
  beforeEach(() => {
    StubStream.opened.length = 0;
    asked = [];
    answer = () => ({ logs: [] });
    canEnter = true;
    mock.timers.enable({ apis: ["setTimeout"] });
    mock.method(globalThis, "fetch", async (path: string) => {
      const url = new URL(path, "http://postrider");
      asked.push(url);
      return Response.json(answer(url));
    });
  });
  afterEach(async () => {
    for (const part of parts.splice(0)) await part.leave();
    await pass(2_000);
    mock.restoreAll();
    mock.timers.reset();
  });

  test("entries change their row where it is, and a new message enters on top", async () => {
    answer = () => ({ logs: [entry("old", "ACTIVE"), entry("other", "CREATED")] });
    const list = await watch();
    await push(entry("new", "CREATED"), entry("old", "DELIVERED"), entry("new", "ACTIVE"));
    assert.deepEqual(shown(list), ["new ACTIVE", "old DELIVERED", "other CREATED"]);
    assert.equal(asked.length, 1);
  });

  test("new messages wait while the reader is among the rows, and go on changing", async () => {
    const list = await watch();
    canEnter = false;
    await push(entry("one", "CREATED"), entry("two", "CREATED"));
    await push(entry("one", "DELIVERED"));
    assert.deepEqual([shown(list), list.value.pendingCount], [[], 2]);
    canEnter = true;
    await push(entry("three", "CREATED"));
    assert.deepEqual(shown(list), ["three CREATED", "two CREATED", "one DELIVERED"]);
  });

  test("what the filter does not want does not enter, but a row that is shown changes in any case", async () => {
    answer = () => ({ logs: [entry("shown", "FAILED", { queueName: "q" })] });
    const list = await watch({ state: "DELIVERED", queue: "q" });
    await push(
      entry("shown", "DELIVERED", { queueName: "other" }),
      entry("wanted", "DELIVERED", { queueName: "q" }),
      entry("another state", "FAILED", { queueName: "q" }),
      entry("another queue", "DELIVERED"),
    );
    assert.deepEqual(shown(list), ["wanted DELIVERED", "shown DELIVERED"]);
  });

  test("a list of those that have not ended takes no new row from an entry", async () => {
    answer = ({ pathname }) => (pathname === "/v2/messages" ? { messages: [] } : { logs: [] });
    const list = await watch({ state: "CREATED" });
    await push(entry("new", "CREATED"));
    assert.deepEqual([shown(list), list.value.pendingCount], [[], 0]);
  });

  test("more than ten at once are shown as a sample, which says of how many", async () => {
    const list = await watch();
    const many = Array.from({ length: 25 }, (_, index) => entry(`m${index}`, "CREATED"));
    await push(...many);
    assert.deepEqual([list.value.rows.length, list.value.sampleOf], [9, 3]);
    await push(...Array.from({ length: 10 }, (_, index) => entry(`n${index}`, "CREATED")));
    await tick();
    assert.deepEqual([list.value.rows.length, list.value.sampleOf], [19, 1]);
  });

  test("a page of the log has one row for a message, in the order of its newest entry", async () => {
    answer = () => ({
      logs: [
        entry("b", "RETRY", at(9)),
        entry("a", "DELIVERED", at(8)),
        entry("b", "ERROR", at(7)),
      ],
      cursor: "next",
    });
    const page = await loadPage({ ...ALL, host: "example.com" }, "here", gone());
    assert.deepEqual(page.rows.map(words), ["b RETRY", "a DELIVERED"]);
    assert.equal(page.cursor, "next");
    assert.deepEqual(Object.fromEntries(asked[0]!.searchParams), {
      host: "example.com",
      count: "300",
      cursor: "here",
    });
  });

  test("the attempts of failed messages are read from their errors", async () => {
    answer = ({ searchParams }) =>
      searchParams.get("state") === "FAILED"
        ? { logs: [entry("a", "FAILED", at(9))] }
        : { logs: [entry("a", "ERROR", { ...at(8), attempt: 4 })] };
    const { rows } = await loadPage({ ...ALL, state: "FAILED" }, null, gone());
    assert.deepEqual([rows.map(words), rows[0]!.attempts], [["a FAILED"], 4]);
    assert.equal(asked[1]!.searchParams.get("messageIds"), "a");
  });

  test("of messages that have not ended, pages are read until fifty are of the wanted state and host", async () => {
    answer = ({ pathname, searchParams }) => {
      if (pathname === "/v2/logs") return { logs: [] };
      const from = Number(searchParams.get("cursor") ?? 0);
      const messages = Array.from({ length: 100 }, (_, index) => ({
        ...entry(`m${from + index}`, index % 4 === 0 ? "RETRY" : "CREATED"),
        createdAt: 1,
      }));
      return { messages, cursor: String(from + 100) };
    };
    const page = await loadPage({ ...ALL, state: "RETRY", host: "example.com" }, null, gone());
    assert.deepEqual([page.rows.length, page.cursor], [50, "200"]);
    const logs = asked.filter(({ pathname }) => pathname === "/v2/logs");
    assert.equal(logs[0]!.searchParams.get("messageIds")!.split(",").length, 50);
    asked = [];
    const none = await loadPage({ ...ALL, state: "RETRY", host: "nowhere" }, null, gone());
    assert.deepEqual([none.rows.length, asked.length, none.cursor], [0, 10, "1000"]);
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

let clock = 1_000;

/** Each is a little later than the one before, unless it is told when. */
function entry(id: string, state: LogEntry["state"], more: Partial<LogEntry> = {}): LogEntry {
  return {
    state,
    time: (clock += 1),
    messageId: id,
    url: "https://example.com/a",
    method: "POST",
    maxRetries: 3,
    timeout: 30_000,
    callerIp: "127.0.0.1",
    ...more,
  };
}

function at(time: number): { readonly time: number } {
  return { time };
}

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

function words({ id, state }: MessageRow): string {
  return `${id} ${state}`;
}

function shown(list: { readonly value: MessageList }): string[] {
  return list.value.rows.map(words);
}

function gone(): AbortSignal {
  return new AbortController().signal;
}

/** A list of its own for each test: what was shown before is kept by its filter. */
async function watch(
  filter: Partial<MessageFilter> = {},
): Promise<{ readonly value: MessageList }> {
  const own = { ...ALL, time: `test ${++tests}`, ...filter };
  const list = new UsedHook(useMessageList, own, true, () => canEnter);
  parts.push(list);
  await pass(0);
  return list;
}

async function push(...entries: readonly LogEntry[]): Promise<void> {
  StubStream.opened[0]!.push(...entries);
  await pass(250);
}

/** The page's clock goes on. */
async function tick(): Promise<void> {
  second.value += 1_000;
  await pass(0);
}
