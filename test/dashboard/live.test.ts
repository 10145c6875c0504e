/** New log entries as they come: one stream for all parts of a tab, and polls while there is none. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import { dashboardModule, page, pass, UsedHook } from "../support/dashboard-modules.ts";
import { StubStream } from "../support/stub-stream.ts";

interface Entry {
  readonly time: number;
  readonly state: string;
  readonly messageId: string;
}

const { liveBy, useLive } = await dashboardModule<{
  liveBy: { readonly value: string };
  useLive: (listener: (entries: readonly Entry[]) => void, isOn: boolean) => void;
}>("app/live.ts");

const clock = await dashboardModule<{ second: { value: number } }>("app/clock.ts");

const { opened: streams } = StubStream;
/** The queries of polls, in turn, and what they are answered. */
let polls: URLSearchParams[] = [];
let polled: Entry[] = [];
let isAway = false;
const leaving: (() => Promise<void>)[] = [];

describe("entries as they come", () => {
  beforeEach(() => {
    streams.length = 0;
    polls = [];
    polled = [];
    isAway = false;
    mock.timers.enable({ apis: ["setTimeout"] });
    mock.method(globalThis, "fetch", async (path: string) => {
      polls.push(new URL(path, "http://postrider").searchParams);
      if (isAway) throw new TypeError("fetch failed");
      return Response.json({ logs: polled });
    });
  });
  afterEach(async () => {
    for (const leave of leaving.splice(0)) await leave();
    await pass(61_000);
    setHidden(false);
    mock.restoreAll();
    mock.timers.reset();
  });

  test("many entries come with the page's clock, until they are few again", async () => {
    const heard = await listen();
    const sizes = (): number[] => heard.map(({ length }) => length);
    const many = (from: number): void => {
      for (let id = from; id < from + 20; id++) streams[0]!.push(entry(id));
    };
    // Many at once after a rest are not yet many.
    for (const from of [8_100, 8_200]) {
      many(from);
      await pass(250);
    }
    assert.deepEqual(sizes(), [20, 20]);
    many(8_300);
    await pass(5_000);
    assert.deepEqual(sizes(), [20, 20]);
    await tick();
    assert.deepEqual(sizes(), [20, 20, 20]);
    streams[0]!.push(entry(8_400));
    await tick();
    assert.deepEqual(sizes(), [20, 20, 20, 1]);
    streams[0]!.push(entry(8_500));
    await pass(250);
    assert.deepEqual(sizes(), [20, 20, 20, 1, 1]);
  });

  test("all parts of a tab share one stream, which ends with the last of them", async () => {
    const first = await listen();
    const second = await listen();
    assert.deepEqual(
      streams.map(({ url }) => url),
      ["/v2/stream"],
    );
    streams[0]!.push(entry(100));
    await pass(250);
    assert.deepEqual([first.length, second.length], [1, 1]);
    await leaving.pop()!();
    assert.equal(streams[0]!.isClosed, false);
    await leaving.pop()!();
    assert.equal(streams[0]!.isClosed, true);
    assert.equal(liveBy.value, "off");
  });

  test("a part that is not live opens nothing", async () => {
    await listen(false);
    assert.deepEqual([streams.length, liveBy.value], [0, "off"]);
  });

  test("what comes within a quarter of a second is given together, in the order it came", async () => {
    const given = await listen();
    streams[0]!.push(entry(1), entry(2));
    await pass(249);
    assert.deepEqual(given, []);
    streams[0]!.push(entry(3));
    await pass(1);
    streams[0]!.push(entry(4));
    await pass(250);
    assert.deepEqual(given.map(idsOf), [["1", "2", "3"], ["4"]]);
  });

  test("a stream that breaks is replaced by polls, and tried again after a minute", async () => {
    const given = await listen();
    const at = Date.now() + 1_000_000;
    streams[0]!.push(entry(10, at));
    streams[0]!.fail();
    assert.deepEqual([streams[0]!.isClosed, liveBy.value], [true, "polling"]);
    await pass(4_999);
    assert.equal(polls.length, 0);
    // The newest first, as the log is read; the poll overlaps what the stream has brought.
    polled = [entry(12, at + 2), entry(11, at + 1), entry(10, at)];
    await pass(1);
    await pass(250);
    assert.equal(polls[0]!.get("fromDate"), String(at));
    assert.equal(polls[0]!.get("order"), "latestFirst");
    assert.deepEqual(given.map(idsOf), [["10"], ["11", "12"]]);
    await pass(5_000);
    assert.equal(polls[1]!.get("fromDate"), String(at + 2));
    await pass(50_000);
    assert.deepEqual([streams.length, liveBy.value], [2, "stream"]);
    const count = polls.length;
    await pass(30_000);
    assert.equal(polls.length, count);
    assert.equal(given.length, 2);
  });

  test("polls go on while the server is away", async () => {
    const given = await listen();
    streams[0]!.fail();
    isAway = true;
    await pass(10_000);
    isAway = false;
    polled = [entry(20, Date.now() + 2_000_000)];
    await pass(5_250);
    assert.equal(polls.length, 3);
    assert.deepEqual(given.map(idsOf), [["20"]]);
  });

  test("two states of a message are two entries, though they came at the same instant", async () => {
    const given = await listen();
    const at = Date.now() + 3_000_000;
    streams[0]!.push(entry(30, at), { ...entry(30, at), state: "ACTIVE" }, entry(30, at));
    await pass(250);
    assert.deepEqual(
      given.flat().map(({ state }) => state),
      ["CREATED", "ACTIVE"],
    );
  });

  test("a hidden tab hears nothing, and asks for nothing; when it is shown it has a stream again", async () => {
    await listen();
    setHidden(true);
    assert.deepEqual([streams[0]!.isClosed, liveBy.value], [true, "off"]);
    setHidden(false);
    assert.deepEqual([streams.length, liveBy.value], [2, "stream"]);
    streams[1]!.fail();
    setHidden(true);
    await pass(120_000);
    assert.deepEqual([polls.length, streams.length], [0, 2]);
  });
});

/** What a part is given, batch by batch. */
async function listen(isOn = true): Promise<(readonly Entry[])[]> {
  const given: (readonly Entry[])[] = [];
  const used = new UsedHook(useLive, (entries) => void given.push(entries), isOn);
  leaving.push(() => used.leave());
  await pass(0);
  return given;
}

function entry(id: number, time = id): Entry {
  return { time, state: "CREATED", messageId: String(id) };
}

function idsOf(entries: readonly Entry[]): string[] {
  return entries.map(({ messageId }) => messageId);
}

function setHidden(isHidden: boolean): void {
  page.hidden = isHidden;
  page.dispatchEvent(new Event("visibilitychange"));
}

/** The page's clock goes on. */
async function tick(): Promise<void> {
  clock.second.value += 1_000;
  await pass(0);
}
