import type { StatementSync } from "node:sqlite";

import type { NewMessage } from "../../../core/change.ts";
import type { DeadLetter } from "../../../core/model/message/dead-letter.ts";
import type { LineKey } from "../../../core/model/line/line-setting.ts";
import { isSuspect, type MessageState } from "../../../core/model/message/message-state.ts";
import { type LogStep, NUMBERS_PER_STEP } from "../../records/log-step.ts";
import type { DueLine, LineRows } from "../../group/line-rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { AddRows, type NewRow } from "./add-rows.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import type { Resources } from "../tables/resources.ts";
import type { Runs } from "../tables/runs.ts";
import type { Sequences } from "./sequences.ts";

/** Writes what the rules of a group have changed, with prepared statements. */
export class Write {
  readonly #sequences: Sequences;
  readonly #kept: Resources;
  readonly #runs: Runs;
  readonly #facts: AddRows;
  readonly #messages: AddRows;
  readonly #steps: AddRows;
  readonly #statements: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database, sequences: Sequences, kept: Resources, runs: Runs) {
    this.#runs = runs;
    this.#sequences = sequences;
    this.#kept = kept;
    this.#facts = new AddRows(database, FACTS);
    this.#messages = new AddRows(database, MESSAGES);
    this.#steps = new AddRows(database, STEPS);
    this.#statements = prepareAll(database, SQL);
  }

  /** True when the change freed a slot that a waiting message can use. */
  write(rows: WorkingSet, now: number): boolean {
    const run = this.#statements;
    this.#facts.add(rows.added.map(factsRow));
    this.#messages.add(Array.from(rows.inserted.values(), (state) => this.#messageRow(state)));
    for (const state of rows.updated.values()) this.#update(state);
    for (const key of rows.ended.values()) run.endMessage.run(key.accountId, key.messageId);
    this.#steps.add(rows.steps.map((step) => this.#stepRow(step)));
    for (const deadLetter of rows.deadLettersAdded.values()) this.#deadLetter(deadLetter);
    for (const key of rows.deadLettersRemoved.values()) {
      run.removeDeadLetter.run(key.accountId, key.diedAt, key.number);
    }
    for (const taken of rows.deduplicationsTaken.values()) {
      run.takeDeduplication.run(taken.accountId, taken.key, taken.messageId, taken.expiresAt);
    }
    this.#kept.write(rows);
    this.#runs.write(rows);
    for (const used of this.#kept.use(rows)) this.#lineChanged(used);
    const freedSlot = this.#lines(rows.lines, now);
    this.#sequences.save();
    return freedSlot;
  }

  step(step: LogStep): void {
    this.#steps.add([this.#stepRow(step)]);
  }

  #stepRow({ entry, next, attempt }: LogStep): NewRow {
    return [
      entry.accountId,
      this.#sequences.next("log", NUMBERS_PER_STEP),
      entry.messageId,
      entry.at,
      entry.state,
      next === null ? null : next.state,
      entry.attempt ?? next?.attempt ?? null,
      entry.status ?? null,
      entry.error ?? null,
      entry.nextAt ?? next?.nextAt ?? null,
      attempt === null ? null : attempt.startedAt,
      attempt === null ? null : attempt.endedAt,
      attempt === null ? null : attempt.headers,
      attempt === null ? null : attempt.body,
    ];
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
    for (const each of due.values()) this.lineDue(each, now);
    for (const { accountId, line, at } of reset.values()) run.resetLine.run(at, accountId, line);
    return freedSlot;
  }

  /** A message that is due after `now` does not open a shut line. */
  lineDue({ accountId, line, at }: DueLine, now: number): void {
    this.#statements.makeLineDue.run(accountId, line, at, now);
  }

  #lineChanged({ accountId, line, at }: DueLine): void {
    this.#statements.lineChanged.run(accountId, line, at);
  }

  #messageRow(state: MessageState): NewRow {
    return [
      state.accountId,
      state.messageId,
      state.phase === "active" ? 1 : 0,
      state.attempts,
      state.readyAt,
      state.line,
      state.lineAfter,
      state.rootId === state.messageId ? this.#sequences.next("position") : null,
      state.host,
      state.bytes,
      state.fence,
      state.nodeId,
      state.leasedAt,
      state.losses,
      isSuspect(state) ? 1 : 0,
      state.cancelRequested ? 1 : 0,
      state.rootId,
      state.queue,
      state.run?.runId ?? null,
      state.run?.createdAt ?? null,
    ];
  }

  #update(state: MessageState): void {
    this.#statements.changeMessage.run(
      state.phase === "active" ? 1 : 0,
      state.attempts,
      state.readyAt,
      state.line,
      state.lineAfter,
      state.fence,
      state.nodeId,
      state.leasedAt,
      state.losses,
      isSuspect(state) ? 1 : 0,
      state.cancelRequested ? 1 : 0,
      state.accountId,
      state.messageId,
    );
  }

  #deadLetter(letter: DeadLetter): void {
    this.#statements.addDeadLetter.run(
      letter.accountId,
      letter.diedAt,
      letter.number,
      letter.messageId,
      letter.attempt,
      letter.status,
      letter.error ?? null,
      letter.run?.runId ?? null,
      letter.run?.createdAt ?? null,
    );
  }

  #lineFreed({ accountId, line }: LineKey, now: number): boolean {
    return this.#statements.openLine.run(now, accountId, line).changes > 0;
  }
}

function factsRow({ state, facts, body, createdAt }: NewMessage): NewRow {
  return [state.accountId, state.messageId, createdAt, facts, body];
}

const FACTS = "facts (account_id, message_id, created_at, facts, body)";
const MESSAGES = `messages (account_id, message_id, phase, attempts, ready_at, line, line_after,
  position, host, bytes, fence, node_id, leased_at, losses, suspect, cancel_requested, root_id, queue,
  run_id, run_created_at)`;
const STEPS = `log_entries (account_id, number, message_id, at, state, next_state, attempt, status,
  error, next_at, started_at, ended_at, headers, body)`;

const SQL = {
  changeMessage: `UPDATE messages SET phase = ?, attempts = ?, ready_at = ?, line = ?,
      line_after = ?, fence = ?, node_id = ?, leased_at = ?, losses = ?, suspect = ?,
      cancel_requested = ?
    WHERE account_id = ? AND message_id = ?`,
  endMessage: "DELETE FROM messages WHERE account_id = ? AND message_id = ?",
  addDeadLetter: `INSERT INTO dead_letters (account_id, died_at, number, message_id, attempt,
      status, error, run_id, run_created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  removeDeadLetter: "DELETE FROM dead_letters WHERE account_id = ? AND died_at = ? AND number = ?",
  takeDeduplication: `INSERT INTO deduplications (account_id, key, message_id, expires_at)
    VALUES (?, ?, ?, ?)
    ON CONFLICT (account_id, key)
    DO UPDATE SET message_id = excluded.message_id, expires_at = excluded.expires_at`,
  // A shut line stays shut for a later message: it is visited when a slot comes free.
  makeLineDue: `INSERT INTO lines (account_id, line, next_at) VALUES (?1, ?2, ?3)
    ON CONFLICT (account_id, line) DO UPDATE SET next_at = excluded.next_at, emptied = 0
    WHERE next_at > excluded.next_at OR (next_at IS NULL AND (emptied = 1 OR ?3 <= ?4))`,
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
