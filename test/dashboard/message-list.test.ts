/** The messages while they are watched: pages of two lists of the API, news from the stream. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import type { LogEntry } from "../../sdk/src/answers/message.ts";
import type { MessageFilter } from "../../dashboard/src/message/message-filter.ts";
import type { PageStart } from "../../dashboard/src/app/search-pages.ts";
import type { MessageRow } from "../../dashboard/src/message/message-row.ts";
import { dashboardModule, pass, UsedHook } from "../support/dashboard-modules.ts";
import { StubStream } from "../support/stub-stream.ts";

interface MessageList {
  readonly rows: readonly MessageRow[];
  readonly pendingCount: number;
  readonly sampleOf: number;
  readonly hasMore: boolean;
  readonly loadMore: () => void;
}
interface RowPage {
  readonly rows: readonly MessageRow[];
  readonly cursor: string | null;
}

const { useMessageList } = await dashboardModule<{
  useMessageList: (filter: MessageFilter, isLive: boolean, canEnter: () => boolean) => MessageList;
}>("message/message-list.ts");
const { loadPage } = await dashboardModule<{
  loadPage: (filter: MessageFilter, from: PageStart, gone: AbortSignal) => Promise<RowPage>;
}>("message/message-pages.ts");

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

const NEWEST: PageStart = { cursor: null, toAt: null };

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

  test("rows that a long tail has lost come back with the older ones, none of them twice or never", async () => {
    const log = Array.from({ length: 60 }, (_, index) => entry(`old ${index}`, "DELIVERED"));
    answer = ({ searchParams }) => logPage(log, searchParams);
    const list = await watch();
    for (let turn = 0; turn < 110; turn++) {
      const news = Array.from({ length: 10 }, (_, index) =>
        entry(`new ${turn} ${index}`, "ACTIVE"),
      );
      log.push(...news);
      await push(...news);
      // That many at once are shown when the clock goes on.
      await tick();
    }
    assert.equal(list.value.rows.length, 1_000);
    for (let pages = 0; pages < 10 && list.value.hasMore; pages++) {
      list.value.loadMore();
      await pass(0);
    }
    assert.deepEqual(
      list.value.rows.map(({ id }) => id),
      log.map(({ messageId }) => messageId).toReversed(),
    );
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
    const page = await loadPage(
      { ...ALL, host: "example.com" },
      { cursor: "here", toAt: null },
      gone(),
    );
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
    const { rows } = await loadPage({ ...ALL, state: "FAILED" }, NEWEST, gone());
    assert.deepEqual([rows.map(words), rows[0]!.attempts], [["a FAILED"], 4]);
    assert.equal(asked[1]!.searchParams.get("messageIds"), "a");
  });

  test("what is found by a text, an answer or an error is shown with its other entries", async () => {
    answer = ({ searchParams }) =>
      searchParams.has("messageIds")
        ? { logs: [entry("a", "DELIVERED", { ...at(9), attempt: 4 })] }
        : { logs: [entry("a", "ERROR", { ...at(8), responseStatus: 503, error: "busy" })] };
    for (const found of [{ q: "busy" }, { status: "503" }, { error: "busy" }]) {
      const { rows } = await loadPage({ ...ALL, ...found }, NEWEST, gone());
      assert.deepEqual([rows.map(words), rows[0]!.attempts], [["a DELIVERED"], 4]);
    }
  });

  test("messages that will be retried are found by the status of their last answer, 0 without one", async () => {
    const tried = [
      entry("a", "ERROR", { attempt: 1, error: "connection refused" }),
      entry("b", "ERROR", { attempt: 1, error: "busy", responseStatus: 503 }),
    ];
    const messages = ["a", "b", "c"].map((id) => ({ ...entry(id, "RETRY"), createdAt: 1 }));
    answer = ({ pathname }) => (pathname === "/v2/logs" ? { logs: tried } : { messages });
    for (const [status, id] of [
      ["0", "a"],
      ["500,503", "b"],
    ] as const) {
      const { rows } = await loadPage({ ...ALL, state: "RETRY", status }, NEWEST, gone());
      assert.deepEqual(
        rows.map((row) => row.id),
        [id],
        status,
      );
    }
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
    const page = await loadPage({ ...ALL, state: "RETRY", host: "example.com" }, NEWEST, gone());
    assert.deepEqual([page.rows.length, page.cursor], [50, "200"]);
    const logs = asked.filter(({ pathname }) => pathname === "/v2/logs");
    assert.equal(logs[0]!.searchParams.get("messageIds")!.split(",").length, 50);
    asked = [];
    const none = await loadPage({ ...ALL, state: "RETRY", host: "nowhere" }, NEWEST, gone());
    assert.deepEqual([none.rows.length, asked.length, none.cursor], [0, 10, "1000"]);
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

/** Fifty entries, the newest first, as the server pages them. */
function logPage(log: readonly LogEntry[], query: URLSearchParams): object {
  const from = Number(query.get("cursor") ?? Infinity);
  const to = Number(query.get("toDate") ?? Infinity);
  const left = log.filter(({ time }) => time < from && time <= to).toReversed();
  const logs = left.slice(0, 50);
  return left.length > logs.length ? { logs, cursor: String(logs.at(-1)!.time) } : { logs };
}

function at(time: number): { readonly time: number } {
  return { time };
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
