import type { StatementSync } from "node:sqlite";
import type { LineKey } from "../../../core/model/line/line.ts";
import { type LogStep, NUMBERS_PER_STEP } from "../../records/log-step.ts";
import {
  DEAD_LETTERS,
  DEDUPLICATIONS,
  FACTS,
  LOG_ENTRIES,
  MESSAGES,
} from "../../records/message-tables.ts";
import { NEED_PIECES_SQL } from "../../schema.ts";
import { LINE_LIMITS } from "../../records/resource-tables.ts";
import type { DueLine, LineRows } from "../../group/line-rows.ts";
import { TABLE_WRITES } from "../../group/table-writes.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import type { Resources } from "../tables/resources.ts";
import type { Sequences } from "./sequences.ts";
import { addTo, changeIn, putInto, removeFrom, tableWriter } from "./table-statements.ts";

/** Writes what the rules of a group have changed, with prepared statements. */
export class Write {
  readonly #sequences: Sequences;
  readonly #resources: Resources;
  readonly #writeTables: (rows: WorkingSet) => void;
  readonly #tables: ReturnType<typeof messageTables>;
  readonly #statements: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database, sequences: Sequences, resources: Resources) {
    this.#sequences = sequences;
    this.#resources = resources;
    this.#writeTables = tableWriter(database, TABLE_WRITES);
    this.#tables = messageTables(database, sequences);
    this.#statements = prepareAll(database, SQL);
  }

  /** True when the change freed a slot that a waiting message can use. */
  write(rows: WorkingSet, now: number): boolean {
    const tables = this.#tables;
    tables.addFacts(rows.added);
    tables.addMessages(rows.inserted.values());
    tables.changeMessages(rows.updated.values());
    tables.removeMessages(rows.ended.values());
    tables.addSteps(rows.steps);
    tables.addDeadLetters(rows.deadLetters.put.values());
    tables.removeDeadLetters(rows.deadLetters.removed.values());
    tables.putDeduplications(rows.deduplicationsTaken.values());
    tables.removeLineSettings(rows.lineSettings.removed.values());
    this.#resources.changeService(rows);
    this.#writeTables(rows);
    if (rows.bodyPieces.size > 0) this.#statements.needPieces.run();
    for (const used of this.#resources.use(rows)) this.#lineChanged(used);
    const freedSlot = this.#lines(rows.lines, now);
    this.#sequences.save();
    return freedSlot;
  }

  step(step: LogStep): void {
    this.#tables.addSteps([step]);
  }

  #lines(lines: LineRows, now: number): boolean {
    const { windows, freed, changed, due, reset } = lines;
    const run = this.#statements;
    let freedSlot = false;
    for (const { accountId, line, window } of windows.values()) {
      run.countStarts.run(accountId, line, window.startedAt, window.starts);
    }
    for (const each of freed.values()) freedSlot = this.#lineFreed(each, now) || freedSlot;
    for (const each of changed.values()) this.#lineChanged(each);
    for (const each of due.values()) this.lineDue(each);
    for (const { accountId, line, at } of reset.values()) run.resetLine.run(at, accountId, line);
    return freedSlot;
  }

  /** A new message does not open a shut line. */
  lineDue({ accountId, line, at }: DueLine): void {
    this.#statements.makeLineDue.run(accountId, line, at);
  }

  #lineChanged({ accountId, line, at }: DueLine): void {
    this.#statements.lineChanged.run(accountId, line, at);
  }

  #lineFreed({ accountId, line }: LineKey, now: number): boolean {
    return this.#statements.openLine.run(now, accountId, line).changes > 0;
  }
}

function messageTables(database: Database, sequences: Sequences) {
  return {
    addFacts: addTo(database, FACTS),
    addMessages: addTo(database, MESSAGES, [
      [
        "position",
        "bigint?",
        ({ rootId, messageId }) => (rootId === messageId ? sequences.next("position") : null),
      ],
    ]),
    changeMessages: changeIn(database, MESSAGES),
    removeMessages: removeFrom(database, MESSAGES),
    addSteps: addTo(database, LOG_ENTRIES, [
      ["number", "bigint", () => sequences.next("log", NUMBERS_PER_STEP)],
    ]),
    addDeadLetters: addTo(database, DEAD_LETTERS),
    removeDeadLetters: removeFrom(database, DEAD_LETTERS),
    putDeduplications: putInto(database, DEDUPLICATIONS),
    removeLineSettings: removeFrom(database, LINE_LIMITS),
  };
}

const SQL = {
  needPieces: NEED_PIECES_SQL,
  // A shut line stays shut for one more message: it is visited when a slot comes free.
  makeLineDue: `INSERT INTO lines (account_id, line, next_at) VALUES (?1, ?2, ?3)
    ON CONFLICT (account_id, line) DO UPDATE SET next_at = excluded.next_at, emptied = 0
    WHERE next_at > excluded.next_at OR (next_at IS NULL AND emptied = 1)`,
  // No message waits in a line that has no row, or was emptied.
  lineChanged: `UPDATE lines SET next_at = ?3
    WHERE account_id = ?1 AND line = ?2
      AND (next_at > ?3 OR (next_at IS NULL AND emptied = 0))`,
  // Only in a shut line does a message wait for a slot.
  openLine: `UPDATE lines SET next_at = ?
    WHERE account_id = ? AND line = ? AND next_at IS NULL AND emptied = 0`,
  resetLine: `UPDATE lines SET window_started_at = ?, window_starts = 0
    WHERE account_id = ? AND line = ?`,
  // No message waits in a line that stores one already leased.
  countStarts: `INSERT INTO lines (account_id, line, window_started_at, window_starts, emptied)
    VALUES (?, ?, ?, ?, 1)
    ON CONFLICT (account_id, line) DO UPDATE SET
      window_started_at = excluded.window_started_at, window_starts = excluded.window_starts`,
} as const;
