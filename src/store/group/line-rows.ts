import type { Change } from "../../core/change.ts";
import type { LineKey, LineSetting, UsedLine } from "../../core/model/line/line-setting.ts";
import type { LineSnapshot, RateWindow } from "../../core/model/line/line-snapshot.ts";
import type { Instant } from "../../core/model/message/message.ts";
import { settingOnceUsed } from "../../core/rules/line/lines.ts";
import type { ResourceRows } from "./resource-rows.ts";
import { lineKey, pairKey } from "./row-keys.ts";

/** What one transaction finds and changes of lines. */
export class LineRows {
  readonly #settings: ResourceRows<LineKey, LineSetting>;
  readonly #stands = new Map<string, LineSnapshot>();

  readonly due = new Map<string, DueLine>();
  /** Lines in which other limits rule, since when; perhaps nobody stands in them. */
  readonly changed = new Map<string, DueLine>();
  /** Lines that have room again. */
  readonly freed = new Map<string, LineKey>();
  /** When the new rate windows of lines begin. */
  readonly reset = new Map<string, DueLine>();
  /** What publishers said of lines, by the last of them. */
  readonly used = new Map<string, SaidLast>();
  /** Rate windows of keys under which messages were stored under way. */
  readonly windows = new Map<string, CountedLine>();

  constructor(settings: ResourceRows<LineKey, LineSetting>) {
    this.#settings = settings;
  }

  load(key: LineKey, stand: LineSnapshot): void {
    this.#stands.set(lineKey(key), stand);
  }

  /** Null when it is not known, or somebody of this group stands in it. */
  stand(key: LineKey): LineSnapshot | null {
    const name = lineKey(key);
    const stand = this.#stands.get(name);
    if (stand === undefined || this.due.has(name)) return null;
    const setting = this.#settingOf(name, key, stand);
    return setting === stand.setting ? stand : { ...stand, setting };
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
        return this.#use({ ...change.used, at: change.at });
      case "line.started":
        return this.#start(change);
    }
  }

  /** Of a line that nobody has locked, what is new is left to the statement that writes it. */
  #use(used: UsedNow): void {
    const name = lineKey(used);
    const locked = this.#settings.get(used);
    const stand = this.#stands.get(name);
    const known = locked ?? (stand ? this.#settingOf(name, used, stand) : null);
    const after = settingOnceUsed(known, used, used.at);
    if (after === null) return;
    if (locked === null) this.used.set(name, saidAfter(this.used.get(name), used));
    else {
      this.#settings.set(after);
      noteEarliest(this.changed, used);
    }
  }

  #start({ accountId, line, window }: Extract<LineChange, { type: "line.started" }>): void {
    const key = pairKey(accountId, line);
    if (window !== null) this.windows.set(key, { accountId, line, window });
    this.#take(key, window);
  }

  /** The next one of this group finds less room. */
  #take(name: string, window: RateWindow | null): void {
    const stand = this.#stands.get(name);
    if (stand === undefined) return;
    const running = window === null ? stand.running : runningIn(stand, window);
    this.#stands.set(name, { ...stand, running, held: stand.held + 1 });
  }

  #settingOf(name: string, key: LineKey, stand: LineSnapshot): LineSetting | null {
    const isChanged = this.#settings.put.has(name) || this.#settings.removed.has(name);
    const known = isChanged ? this.#settings.get(key) : stand.setting;
    const used = this.used.get(name);
    return used ? (settingOnceUsed(known, used, used.at) ?? known) : known;
  }
}

function noteEarliest(lines: Map<string, DueLine>, { accountId, line, at }: DueLine): void {
  const key = pairKey(accountId, line);
  const before = lines.get(key);
  if (before === undefined || at < before.at) lines.set(key, { accountId, line, at });
}

function saidAfter(before: SaidLast | undefined, used: UsedNow): SaidLast {
  const said = used.limits;
  const { limits = said, isParallelismVaried = false, isRateVaried = false } = before ?? {};
  return {
    ...used,
    isParallelismVaried: isParallelismVaried || limits.parallelism !== said.parallelism,
    isRateVaried: isRateVaried || limits.rate !== said.rate || limits.periodMs !== said.periodMs,
  };
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

/** What a publisher says of a line, and when. */
export interface UsedNow extends UsedLine {
  readonly at: Instant;
}

/** Publishers of one group may differ: then the last changes a line, though it says what it was. */
export interface SaidLast extends UsedNow {
  readonly isParallelismVaried: boolean;
  readonly isRateVaried: boolean;
}

/** The window in which the starts under a key are counted. */
export interface CountedLine extends LineKey {
  readonly window: RateWindow;
}
