/** Moves the data of a store into an empty one, while services may use the first. */
import type { Clock } from "../../platform/clock.ts";
import type { Ids } from "../../platform/ids.ts";
import { StoreOpenError } from "../store-open-error.ts";
import { requireCounts } from "./compare.ts";
import { begunElsewhere } from "./source-sql.ts";
import type { MoveProgress, MoveSource, MoveTarget, Snapshot } from "./move-ends.ts";
import {
  keyIn,
  type MovedKey,
  type MovedRow,
  type MovedTable,
  movedTables,
} from "./moved-table.ts";

export interface MoveOptions {
  /** The target, for people. */
  readonly to: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly tell: (progress: string) => void;
}

export interface Moved {
  /** Rows that this run has copied before the last pass. */
  readonly rows: number;
  /** How long the nodes stood still. */
  readonly standStillMs: number;
  /** The new name of the source; null when it could not be renamed yet. */
  readonly renamedTo: string | null;
}

/** Continues a move that was interrupted at any point. */
export async function moveStore(
  source: MoveSource,
  target: MoveTarget,
  options: MoveOptions,
): Promise<Moved> {
  const begun = await begin(source, target, options);
  const done = begun === "moved" ? { rows: 0, standStillMs: 0 } : await begun.run();
  options.tell("waiting for the old server to end ...");
  return { ...done, renamedTo: await source.rename() };
}

/** Finds out how far an earlier run has come. */
async function begin(
  source: MoveSource,
  target: MoveTarget,
  options: MoveOptions,
): Promise<Mover | "moved"> {
  const mark = await source.mark();
  const held = await target.held();
  const id = held.kind === "progress" ? held.progress.id : undefined;
  if (mark?.isMoved === true) {
    if (held.kind === "progress" && id === mark.id && held.progress.isComplete) await target.open();
    else if (held.kind !== "service" || held.arrivedBy !== mark.id) {
      throw new StoreOpenError(`the data was moved from here to ${mark.to}; start on that store`);
    }
    return "moved";
  }
  if (held.kind === "service") throw new StoreOpenError(`${options.to} is not empty${ELSEWHERE}`);
  let progress = held.kind === "progress" ? held.progress : null;
  if (mark !== null && mark.id !== id) throw begunElsewhere(mark);
  if (progress !== null && mark === null && Object.keys(progress.copied).length > 0) {
    throw new StoreOpenError(
      `${options.to} holds the unfinished move of another store, or of one that was canceled${ELSEWHERE}`,
    );
  }
  if (progress === null) {
    progress = { id: options.ids.secret(ID_CHARACTERS), changes: 0, copied: {}, isComplete: false };
    await target.prepare(progress);
  }
  await target.take();
  const tables = movedTables(await source.catalog(), await target.catalog());
  const { to } = options;
  await source.begin({ id: progress.id, to, standStill: null, isMoved: false }, tables);
  return new Mover({ source, target, tables, ...options }, progress);
}

interface MoverOptions extends MoveOptions {
  readonly source: MoveSource;
  readonly target: MoveTarget;
  readonly tables: readonly MovedTable[];
}

/**
 * At any instant the target holds the rows of one snapshot of the source, of the tables and keys that
 * were copied so far, or fewer. So no unique key is ever in it twice, and a run that is killed leaves
 * what the next one can continue from. Each write is compared before it is committed.
 */
class Mover {
  readonly #options: MoverOptions;
  #progress: MoveProgress;
  #rows = 0;

  constructor(options: MoverOptions, progress: MoveProgress) {
    this.#options = options;
    this.#progress = progress;
  }

  async run(): Promise<Omit<Moved, "renamedTo">> {
    const { source, tables } = this.#options;
    const isCopied = ({ name }: MovedTable): boolean => this.#progress.copied[name] === null;
    while (!tables.every(isCopied)) {
      await source.snapshot((snapshot) => this.#copySome(snapshot));
    }
    await source.snapshot((snapshot) => this.#count(snapshot));
    // Each round has less to do than the one before, unless the load is too high for that.
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const changes = await source.snapshot((snapshot) => this.#catchUp(snapshot));
      if (changes < FEW_CHANGES) break;
    }
    return { rows: this.#rows, standStillMs: await this.#lastPass() };
  }

  /** A snapshot is not kept for long: until it ends, the source can remove no old row for good. */
  async #copySome(snapshot: Snapshot): Promise<void> {
    const { target, tables, clock, tell } = this.#options;
    await this.#catchUp(snapshot);
    const endsAt = clock.monotonic() + SEGMENT_MS;
    for (const table of tables) {
      while (this.#progress.copied[table.name] !== null && clock.monotonic() < endsAt) {
        const after = this.#progress.copied[table.name] ?? null;
        const { rows, isLast } = await snapshot.page(table, { after });
        const copied = { ...this.#progress.copied, [table.name]: endOf(table, rows, isLast) };
        this.#progress = { ...this.#progress, copied };
        await target.write({ table, removed: [], added: rows }, this.#progress);
        this.#rows += rows.length;
        tell(`copied ${this.#rows.toLocaleString("en")} rows, now ${table.name} ...`);
      }
    }
  }

  /** Counting takes as long as there are rows, so it is done while the nodes still work. */
  async #count(snapshot: Snapshot): Promise<void> {
    const { target, tables, tell } = this.#options;
    await this.#catchUp(snapshot);
    tell("counting ...");
    requireCounts(tables, await snapshot.counts(tables), await target.counts(tables));
  }

  /**
   * Makes the changes of the source up to the snapshot. All changed rows are removed before the first
   * one is added. Returns how many changes there were.
   */
  async #catchUp(snapshot: Snapshot): Promise<number> {
    const { target } = this.#options;
    const before = this.#progress.changes;
    for await (const { table, keys } of this.#changedIn(snapshot)) {
      await target.write({ table, removed: keys, added: [] }, this.#progress);
    }
    for await (const { table, keys } of this.#changedIn(snapshot)) {
      await this.#renew(snapshot, table, keys);
    }
    this.#progress = { ...this.#progress, changes: snapshot.changes };
    await target.write(null, this.#progress);
    return snapshot.changes - before;
  }

  /** The changed rows of tables that have been copied in part or whole, a page at a time. */
  async *#changedIn(snapshot: Snapshot): AsyncGenerator<ChangedKeys> {
    const byName = new Map(this.#options.tables.map((table) => [table.name, table]));
    let after = this.#progress.changes;
    while (after < snapshot.changes) {
      const changed = await snapshot.changedAfter(after);
      const last = changed.at(-1);
      if (last === undefined) return;
      after = last.number;
      for (const [name, rows] of Map.groupBy(changed, (row) => row.table)) {
        const table = byName.get(name);
        if (table === undefined || this.#progress.copied[name] === undefined) continue;
        const keys = new Map(rows.map(({ key }) => [JSON.stringify(key), key]));
        yield { table, keys: [...keys.values()] };
      }
    }
  }

  /** Copies the rows with these keys again, as far as the table has been copied. */
  async #renew(snapshot: Snapshot, table: MovedTable, keys: readonly MovedKey[]): Promise<void> {
    const { target } = this.#options;
    const upTo = this.#progress.copied[table.name] ?? null;
    let after: MovedKey | null = null;
    for (let isLast = false; !isLast;) {
      const page = await snapshot.page(table, { after, upTo, among: keys });
      const found = page.rows.map((row) => keyIn(table, row));
      await target.write({ table, removed: found, added: page.rows }, this.#progress);
      after = found.at(-1) ?? null;
      isLast = page.isLast;
    }
  }

  /** Returns how long the nodes stood still, until a service could start on the target. */
  async #lastPass(): Promise<number> {
    const { source, target, clock, ids, tell } = this.#options;
    const startedAt = clock.monotonic();
    tell("the nodes stand still for the last pass ...");
    await source.standStill(ids.secret(ID_CHARACTERS));
    try {
      while (!(await source.isQuiet()) && clock.monotonic() - startedAt < QUIET_MS_MAX) {
        await source.snapshot((snapshot) => this.#catchUp(snapshot));
        await clock.sleep(LOOK_MS);
      }
      await source.snapshot((snapshot) => this.#catchUp(snapshot));
      await source.close((snapshot) => this.#finish(snapshot));
    } catch (error) {
      await source.standStill(null).catch(() => undefined);
      throw error;
    }
    await target.open();
    return Math.round(clock.monotonic() - startedAt);
  }

  async #finish(snapshot: Snapshot): Promise<void> {
    const { target } = this.#options;
    if (snapshot.changes - this.#progress.changes > LAST_CHANGES_MAX) {
      throw new StoreOpenError(
        "the store changes faster than it can be copied; run this again at a quieter time, or stop the server first",
      );
    }
    await this.#catchUp(snapshot);
    this.#progress = { ...this.#progress, isComplete: true };
    await target.complete(await snapshot.numbers(), this.#progress);
  }
}

interface ChangedKeys {
  readonly table: MovedTable;
  readonly keys: readonly MovedKey[];
}

/** Null when there are no later rows. */
function endOf(table: MovedTable, rows: readonly MovedRow[], isLast: boolean): MovedKey | null {
  return isLast ? null : keyIn(table, rows.at(-1)!);
}

const ID_CHARACTERS = 20;
const SEGMENT_MS = 20_000;
const ROUNDS_MAX = 10;
const FEW_CHANGES = 500;
/** Attempts in progress may take this long; those that take longer are sent again by the target. */
const QUIET_MS_MAX = 5_000;
const LOOK_MS = 50;
/** More would keep nodes waiting for too long. */
const LAST_CHANGES_MAX = 20_000;
const ELSEWHERE = "; name another, or remove it first if it is not needed";
