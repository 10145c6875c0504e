import type { Change } from "../../core/change.ts";
import type {
  LineKey,
  LineSetting,
  LineUses,
  QueueHead,
  UsedLine,
  LineSnapshot,
  RateWindow,
} from "../../core/model/line/line.ts";
import type { Instant } from "../../core/model/time.ts";
import { settingAfterUses, settingOnceUsed } from "../../core/rules/line/lines.ts";
import type { ResourceRows } from "./resource-rows.ts";
import { lineKey, pairKey } from "./row-keys.ts";

/** The lines of one transaction: what it loaded and what it changed. */
export class LineRows {
  readonly #settings: ResourceRows<LineKey, LineSetting>;
  readonly #snapshots = new Map<string, LineSnapshot>();

  readonly #heads = new Map<string, readonly QueueHead[]>();

  readonly due = new Map<string, DueLine>();
  /** Lines whose limits changed, and when; they may hold no message. */
  readonly changed = new Map<string, DueLine>();
  /** Lines in which a slot came free. */
  readonly freed = new Map<string, LineKey>();
  /** When the new rate windows of lines begin. */
  readonly reset = new Map<string, DueLine>();
  /** What publishers asked for in lines that are not locked. */
  readonly used = new Map<string, LineUses>();
  /** Rate windows of keys under which messages were stored already leased. */
  readonly windows = new Map<string, CountedLine>();

  constructor(settings: ResourceRows<LineKey, LineSetting>) {
    this.#settings = settings;
  }

  load(key: LineKey, snapshot: LineSnapshot): void {
    this.#snapshots.set(lineKey(key), snapshot);
  }

  /** Null when the line was not loaded, or a message of this group waits in it. */
  snapshot(key: LineKey): LineSnapshot | null {
    const name = lineKey(key);
    const snapshot = this.#snapshots.get(name);
    if (snapshot === undefined || this.due.has(name)) return null;
    const setting = this.#settingOf(name, key, snapshot);
    return setting === snapshot.setting ? snapshot : { ...snapshot, setting };
  }

  /** The first messages of a queue that are ready, in order, as they were loaded. */
  loadHeads(key: LineKey, heads: readonly QueueHead[]): void {
    this.#heads.set(lineKey(key), heads);
  }

  /** None when this group has changed the limits of the queue. */
  heads(key: LineKey): readonly QueueHead[] {
    const name = lineKey(key);
    const isChanged = this.#settings.put.has(name) || this.#settings.removed.has(name);
    return isChanged ? [] : (this.#heads.get(name) ?? []);
  }

  /** A message of this group goes into the queue again, perhaps before others. */
  forgetHeads(key: LineKey): void {
    this.#heads.delete(lineKey(key));
  }

  apply(change: LineChange): void {
    switch (change.type) {
      case "line.due":
        return noteEarliest(this.due, change);
      case "line.changed":
        return noteEarliest(this.changed, change);
      case "line.freed":
        this.freed.set(lineKey(change), change);
        return;
      case "line.reset":
        this.reset.set(lineKey(change), change);
        return;
      case "line.used":
        return this.#use(change.used, change.at);
      case "line.started":
        return this.#start(change);
    }
  }

  /** The setting of a line that is not locked is decided when it is written. */
  #use(used: UsedLine, at: Instant): void {
    const name = lineKey(used);
    const locked = this.#settings.get(used);
    const snapshot = this.#snapshots.get(name);
    const known = locked ?? (snapshot ? this.#settingOf(name, used, snapshot) : null);
    const after = settingOnceUsed(known, used, at);
    if (after === null) return;
    if (locked === null) this.used.set(name, withUse(this.used.get(name), used, at));
    else {
      this.#settings.set(after);
      noteEarliest(this.changed, { ...used, at });
    }
  }

  #start({ accountId, line, window }: Extract<LineChange, { type: "line.started" }>): void {
    const key = pairKey(accountId, line);
    if (window !== null) this.windows.set(key, { accountId, line, window });
    this.#take(key, window);
  }

  /** The next act of this group finds one slot less. */
  #take(name: string, window: RateWindow | null): void {
    const snapshot = this.#snapshots.get(name);
    if (snapshot === undefined) return;
    const running = window === null ? snapshot.running : runningIn(snapshot, window);
    this.#snapshots.set(name, { ...snapshot, running, held: snapshot.held + 1 });
  }

  #settingOf(name: string, key: LineKey, snapshot: LineSnapshot): LineSetting | null {
    const isChanged = this.#settings.put.has(name) || this.#settings.removed.has(name);
    const known = isChanged ? this.#settings.get(key) : snapshot.setting;
    const used = this.used.get(name);
    return used ? (settingAfterUses(known, used) ?? known) : known;
  }
}

function noteEarliest(lines: Map<string, DueLine>, { accountId, line, at }: DueLine): void {
  const key = pairKey(accountId, line);
  const before = lines.get(key);
  if (before === undefined || at < before.at) lines.set(key, { accountId, line, at });
}

/** Of those who ask for the same one after the other, the last one counts. */
function withUse(
  before: LineUses | undefined,
  { accountId, line, limits }: UsedLine,
  at: Instant,
): LineUses {
  const asked = before?.asked ?? [];
  const last = asked.at(-1)?.limits;
  const isSame =
    last?.parallelism === limits.parallelism &&
    last.rate === limits.rate &&
    last.periodMs === limits.periodMs;
  return { accountId, line, asked: [...(isSame ? asked.slice(0, -1) : asked), { limits, at }] };
}

function runningIn({ running }: LineSnapshot, { startedAt, starts }: RateWindow) {
  const before = running ?? { nextAt: null, emptied: true };
  return { ...before, windowStartedAt: startedAt, windowStarts: starts };
}

export type LineChange = Extract<
  Change,
  { readonly type: `line.${"due" | "changed" | "freed" | "reset" | "used" | "started"}` }
>;

export interface DueLine {
  readonly accountId: string;
  readonly line: string;
  readonly at: Instant;
}

/** The window in which the starts under a key are counted. */
export interface CountedLine extends LineKey {
  readonly window: RateWindow;
}
