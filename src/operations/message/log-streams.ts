import type { Account } from "../../core/model/account/account.ts";
import { Problem } from "../../core/problem.ts";
import type { Log } from "../../platform/log.ts";
import { Loop } from "../../platform/loop.ts";
import type { Context } from "../context.ts";
import { type FeedEntry, type FeedSource, LogFeed, readFeed, SettledLog } from "./log-feed.ts";

export interface StreamBatch {
  readonly entries: readonly FeedEntry[];
  /** Entries that were left out before these, since the stream was read too slowly. */
  readonly skipped: number;
}

/** The streams of one account, and the newest part of its log for all of them. */
interface AccountStreams {
  readonly account: Account;
  readonly feed: LogFeed;
  readonly streams: Set<LogStream>;
}

type StreamContext = Pick<Context, "store" | "clock" | "cursorSecrets">;

/**
 * Live streams of the log. While there are any, the end of the log is read a few times a second,
 * and what is new once for all streams of an account: so it is the same on every node, and no write
 * does more for it.
 */
export class LogStreams {
  readonly #context: StreamContext;
  readonly #log: Log;
  readonly #accounts = new Map<string, AccountStreams>();
  readonly #opening = new Set<() => void>();
  #settledLog = new SettledLog();
  #loop: Loop | null = null;
  #open = 0;
  #isClosed = false;

  constructor(context: StreamContext, log: Log) {
    this.#context = context;
    this.#log = log;
  }

  /** Opens a stream of what follows a position; of what is new when it is null. */
  async open(account: Account, position: number | null): Promise<LogStream> {
    this.#requireRoom(account);
    this.#open += 1;
    this.#startLoop();
    const settled = await this.#settledNumber();
    if (settled === null) {
      this.#open -= 1;
      if (this.#open === 0) this.#stopLoop();
      throw new Problem("overloaded", "the end of the log is not known yet; try again", 1);
    }
    const shared = this.#accountOf(account, settled);
    // Of two that open at once, both may have found room.
    if (shared.streams.size >= account.limits.streamsMax) {
      this.#leave(shared);
      throw tooMany(account);
    }
    const read = (after: number) =>
      readFeed(this.#source, account, after, this.#settledLog.number!);
    const stream = new LogStream(shared.feed, {
      position: position ?? settled,
      read,
      after: (ms, action) => this.#context.clock.after(ms, action),
      onAtEnd: () => {
        if (shared.feed.end < (this.#settledLog.number ?? 0)) this.#loop?.wake();
      },
      onClose: () => {
        shared.streams.delete(stream);
        this.#leave(shared);
      },
    });
    shared.streams.add(stream);
    return stream;
  }

  close(): void {
    this.#isClosed = true;
    for (const { streams } of this.#accounts.values()) {
      for (const stream of streams) stream.close();
    }
    this.#stopLoop();
  }

  get #source(): FeedSource {
    const { store, cursorSecrets } = this.#context;
    return { messages: store.reader.messages, cursorSecrets };
  }

  #requireRoom(account: Account): void {
    if (this.#isClosed) throw closing();
    const open = this.#accounts.get(account.accountId)?.streams.size ?? 0;
    if (open >= account.limits.streamsMax) throw tooMany(account);
    if (this.#open >= STREAMS_MAX) {
      throw new Problem("overloaded", "this node has too many live streams; try again", 5);
    }
  }

  #accountOf(account: Account, settled: number): AccountStreams {
    const known = this.#accounts.get(account.accountId);
    if (known !== undefined) return known;
    const made = { account, feed: new LogFeed(settled), streams: new Set<LogStream>() };
    this.#accounts.set(account.accountId, made);
    return made;
  }

  #leave({ account, streams }: AccountStreams): void {
    if (streams.size === 0) this.#accounts.delete(account.accountId);
    this.#open -= 1;
    if (this.#open === 0) this.#stopLoop();
  }

  #startLoop(): void {
    if (this.#loop !== null) return;
    const { clock } = this.#context;
    this.#settledLog = new SettledLog();
    this.#loop = new Loop(
      clock,
      () => this.#runOnce(),
      (error) => this.#log.warn("the log could not be read for live streams", { error }),
    );
    this.#loop.start();
  }

  #stopLoop(): void {
    void this.#loop?.stop();
    this.#loop = null;
    for (const resolve of this.#opening) resolve();
    this.#opening.clear();
  }

  /** Where the log ends; null when that is not known after a while. */
  async #settledNumber(): Promise<number | null> {
    const { clock } = this.#context;
    const giveUpAt = clock.monotonic() + OPEN_MS_MAX;
    while (!this.#isClosed) {
      const { number } = this.#settledLog;
      const leftMs = giveUpAt - clock.monotonic();
      if (number !== null || leftMs <= 0) return number;
      await new Promise<void>((resolve) => {
        this.#opening.add(resolve);
        clock.after(leftMs, resolve);
      });
    }
    return null;
  }

  async #runOnce(): Promise<number> {
    const { store, clock } = this.#context;
    const settledLog = this.#settledLog;
    settledLog.observe(await store.reader.upkeep.logEnd(), clock.monotonic());
    const settled = settledLog.number;
    if (settled === null) return POLL_MS;
    for (const resolve of this.#opening) resolve();
    this.#opening.clear();
    let hasMore = false;
    for (const shared of this.#accounts.values()) {
      hasMore = (await this.#feed(shared, settled)) || hasMore;
    }
    return hasMore ? 0 : POLL_MS;
  }

  /** Reads on when a stream has had everything, and not for streams that are all behind. */
  async #feed({ account, feed, streams }: AccountStreams, settled: number): Promise<boolean> {
    const isWanted = [...streams].some((stream) => stream.isAtEnd);
    if (!isWanted || feed.end >= settled) return false;
    const from = feed.end;
    const page = await readFeed(this.#source, account, from, settled);
    // A loop that was stopped in the meantime, and one that was started, may read the same.
    if (feed.end !== from) return true;
    feed.add(page);
    if (page.entries.length > 0) for (const stream of streams) stream.wake();
    return feed.end < settled;
  }
}

interface StreamParts {
  readonly position: number;
  readonly read: (after: number) => ReturnType<typeof readFeed>;
  readonly after: (ms: number, action: () => void) => () => void;
  /** It has had all that the feed holds, and there may be more. */
  readonly onAtEnd: () => void;
  readonly onClose: () => void;
}

/** Reads the log by itself up to the feed, then the feed; never more than its caller took. */
export class LogStream {
  readonly #feed: LogFeed;
  readonly #parts: StreamParts;
  #position: number;
  /** How many entries of the feed are behind it; null while it reads by itself. */
  #had: number | null = null;
  #isClosed = false;
  #isWoken = false;
  #onWake: (() => void) | null = null;

  constructor(feed: LogFeed, parts: StreamParts) {
    this.#feed = feed;
    this.#parts = parts;
    this.#position = parts.position;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Everything before this position has been sent, or was left out. */
  get position(): number {
    return this.#position;
  }

  /** It has had all that the feed holds. */
  get isAtEnd(): boolean {
    return this.#had === this.#feed.count;
  }

  /** The next entries; null when there were none for `waitMs`, or it was closed. */
  async next(waitMs: number): Promise<StreamBatch | null> {
    this.#isWoken = false;
    const found = await this.#find();
    if (found !== null || this.#isClosed) return found;
    if (!this.#isWoken) await this.#wait(waitMs);
    return this.#find();
  }

  wake(): void {
    this.#isWoken = true;
    this.#onWake?.();
  }

  #wait(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        cancel();
        this.#onWake = null;
        resolve();
      };
      const cancel = this.#parts.after(waitMs, done);
      this.#onWake = done;
    });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#parts.onClose();
    this.wake();
  }

  async #find(): Promise<StreamBatch | null> {
    while (!this.#isClosed) {
      if (this.#had !== null) return this.#findInFeed(this.#had);
      if (this.#position >= this.#feed.start) {
        this.#had = this.#feed.countUpTo(this.#position);
        continue;
      }
      const { entries, upTo } = await this.#parts.read(this.#position);
      this.#position = upTo;
      if (entries.length > 0) return { entries, skipped: 0 };
    }
    return null;
  }

  /** The feed may be behind a position that another node has sent. */
  #findInFeed(had: number): StreamBatch | null {
    const { entries: taken, skipped } = this.#feed.take(had);
    this.#had = had + skipped + taken.length;
    if (taken.length > 0 && this.isAtEnd) this.#parts.onAtEnd();
    const entries = taken.filter(({ number }) => number > this.#position);
    if (entries.length === 0) return null;
    this.#position = entries.at(-1)!.number;
    return { entries, skipped };
  }
}

function tooMany({ limits }: Account): Problem {
  const sentence = `quota maxStreams exceeded, current limit: ${limits.streamsMax}`;
  return new Problem("too-many-requests", sentence, 5);
}

function closing(): Problem {
  return new Problem("overloaded", "the service is stopping; try again", 1);
}

/** On this node, over all accounts. */
const STREAMS_MAX = 200;
const POLL_MS = 250;
const OPEN_MS_MAX = 10_000;
