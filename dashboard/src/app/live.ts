/** New log entries as they come: one stream per tab for all parts, polling where there is none. */
import { effect, signal, untracked } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { LogEntry, LogPage } from "../../../sdk/src/answers/message.ts";
import { call, withQuery } from "./api.ts";
import { second, serverNow } from "./clock.ts";
import { noteReached, noteUnreachable } from "./reachable.ts";

type Listener = (entries: readonly LogEntry[]) => void;

const GATHER_MS = 250;
/** About four messages a second: a reader follows no faster, and drawing is most of what a tail costs. */
const BUSY_PER_MS = 12 / 1_000;

const listeners = new Set<Listener>();
/** How new entries arrive: pushed, asked for every five seconds, or not at all. */
export const liveBy = signal<"stream" | "polling" | "off">("off");
/** When the server was last heard. */
export const heardAt = signal(serverNow());

let source: EventSource | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
let gathered: LogEntry[] = [];
let flushedAt = 0;
let isBusy = false;
let newestAt = 0;
/** The oldest first. */
const seen = new Set<string>();

/** Told of new entries while a part of the screen wants them, and never the reason that they are sent. */
const witnesses = new Set<Listener>();

export function whenHeard(witness: Listener): void {
  witnesses.add(witness);
}

/** Calls with the entries that came since, at most four times a second, and each second when they are many. */
export function useLive(listener: Listener, isOn: boolean): void {
  const newest = useRef(listener);
  newest.current = listener;
  useEffect(() => {
    if (!isOn) return undefined;
    const own: Listener = (entries) => newest.current(entries);
    listeners.add(own);
    if (listeners.size === 1) start();
    return () => {
      listeners.delete(own);
      if (listeners.size === 0) stop();
    };
  }, [isOn]);
}

function start(): void {
  if (document.hidden || liveBy.value !== "off") return;
  newestAt = newestAt || serverNow();
  startStream();
}

function stop(): void {
  source?.close();
  source = null;
  clearTimeout(timer);
  isBusy = false;
  liveBy.value = "off";
}

function startStream(): void {
  liveBy.value = "stream";
  const opened = new EventSource("/v2/stream");
  source = opened;
  opened.addEventListener("open", heard);
  opened.addEventListener("log", (event) => {
    receive([JSON.parse((event as MessageEvent<string>).data) as LogEntry]);
  });
  opened.addEventListener("error", () => {
    opened.close();
    if (source !== opened) return;
    source = null;
    startPolling();
    // A stream that broke is tried again; one that this server does not have fails at once, again.
    setTimeout(() => {
      if (liveBy.value !== "polling" || document.hidden) return;
      clearTimeout(timer);
      startStream();
    }, RETRY_STREAM_MS);
  });
}

function startPolling(): void {
  liveBy.value = "polling";
  timer = setTimeout(() => void poll(), POLL_MS);
}

async function poll(): Promise<void> {
  try {
    // From the newest on: a long log is not searched from its beginning.
    const query = { fromDate: newestAt, order: "latestFirst", count: POLL_ENTRIES_MAX };
    const { logs } = await call<LogPage>(withQuery("/v2/logs", query));
    heard();
    receive(logs.toReversed());
  } catch {
    noteUnreachable();
  }
  if (liveBy.value === "polling" && !document.hidden) startPolling();
}

function heard(): void {
  heardAt.value = serverNow();
  noteReached();
}

/** Polls overlap by an instant, so entries are known by what they say. */
function receive(entries: readonly LogEntry[]): void {
  for (const entry of entries) {
    const key = keyOf(entry);
    if (seen.has(key)) continue;
    seen.add(key);
    if (seen.size > SEEN_MAX) seen.delete(seen.values().next().value!);
    newestAt = Math.max(newestAt, entry.time);
    if (gathered.length === 0) flushLater();
    gathered.push(entry);
  }
}

/** When many come, with the page's clock: the times on the screen are drawn anew then anyway. */
function flushLater(): void {
  if (!isBusy) {
    setTimeout(flush, GATHER_MS);
    return;
  }
  const from = second.peek();
  const leave = effect(() => {
    if (second.value === from) return;
    leave();
    untracked(flush);
  });
}

function flush(): void {
  heard();
  const entries = gathered;
  gathered = [];
  const sinceMs = Math.max(GATHER_MS, Date.now() - flushedAt);
  flushedAt = Date.now();
  isBusy = entries.length / sinceMs > BUSY_PER_MS;
  for (const listener of [...listeners, ...witnesses]) listener(entries);
}

function keyOf({ time, state, messageId }: LogEntry): string {
  return `${time} ${state} ${messageId}`;
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) stop();
  else if (listeners.size > 0) start();
});

const POLL_MS = 5_000;
const RETRY_STREAM_MS = 60_000;
const POLL_ENTRIES_MAX = 500;
const SEEN_MAX = 2_000;
