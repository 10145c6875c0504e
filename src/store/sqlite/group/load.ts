import type { StatementSync } from "node:sqlite";
import type { DeadLetter, DeadLetterKey } from "../../../core/model/message/dead-letter.ts";
import type { MessageKey, MessageState } from "../../../core/model/message/message.ts";
import type { Needs, RunNeed } from "../../../core/rule.ts";
import { type Act, needsOf } from "../../../core/rules/registry.ts";
import type { ClockTime } from "../../../platform/clock.ts";
import { DEAD_LETTERS, DEDUPLICATIONS } from "../../records/message-tables.ts";
import { toMessageState, toLineSnapshot, toQueueHead } from "../../records/rows.ts";
import { queuesNamed } from "../../group/queues-named.ts";
import { WorkingSet } from "../../group/working-set.ts";
import type { ActiveRunCache } from "./active-runs.ts";
import type { LeasedMessageCache } from "./leased-messages.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import type { Resources } from "../tables/resources.ts";
import type { Sequences } from "./sequences.ts";
import { loadFrom } from "./table-statements.ts";
import { LOAD_RUNS_SQL, loadOfRuns } from "../../group/load-runs.ts";
import { RUNS } from "../../records/run-tables.ts";
import { type RunReading, statementReader } from "../reads/run-reading.ts";
import { lineKind, type LineKey, type LineSnapshot } from "../../../core/model/line/line.ts";
import { HELD_SQL } from "../claim/claim-sql.ts";

/** Loads the rows that the acts of a group need, by primary key. */
export class Load {
  readonly #sequences: Sequences;
  readonly #active: LeasedMessageCache;
  readonly #resources: Resources;
  readonly #runs: Runs;
  readonly #lineSnapshots: LineSnapshots;
  readonly #queueHeads: QueueHeads;
  readonly #message: StatementSync;
  readonly #deadLetter: (key: DeadLetterKey) => DeadLetter | null;
  readonly #deduplication: StatementSync;

  constructor(
    database: Database,
    sequences: Sequences,
    active: LeasedMessageCache,
    activeRuns: ActiveRunCache,
    resources: Resources,
  ) {
    this.#runs = new Runs(database, activeRuns);
    this.#sequences = sequences;
    this.#active = active;
    this.#resources = resources;
    this.#lineSnapshots = new LineSnapshots(database);
    this.#queueHeads = new QueueHeads(database);
    this.#message = database.prepare(
      "SELECT * FROM messages WHERE account_id = ? AND message_id = ?",
    );
    this.#deadLetter = loadFrom(database, DEAD_LETTERS);
    this.#deduplication = database.prepare(
      "SELECT * FROM deduplications WHERE account_id = ? AND key = ?",
    );
  }

  load(acts: readonly Act[], time: ClockTime): WorkingSet {
    const rows = new WorkingSet(time);
    const needs = acts.map(needsOf);
    this.#runs.load(
      needs.flatMap(({ runs }) => runs ?? []),
      rows,
    );
    this.#queueHeads.load(needs, rows, time.now + time.aheadMs);
    for (const [index, { rule }] of acts.entries()) {
      this.#loadOne(needs[index]!, rows);
      // The two acts of every message need no accounts and no resources.
      if (rule !== "publish" && rule !== "settle") this.#resources.load(needs[index]!, rows);
    }
    return rows;
  }

  #read(key: MessageKey): MessageState | null {
    const row = this.#message.get(key.accountId, key.messageId);
    return row ? toMessageState(row) : null;
  }

  #loadOne(needs: Needs, rows: WorkingSet): void {
    for (const key of needs.messages ?? []) {
      const state = this.#active.get(key) ?? this.#read(key);
      if (state) rows.loadMessage(state);
    }
    for (const key of needs.deadLetters ?? []) {
      const deadLetter = this.#deadLetter(key);
      if (deadLetter) rows.deadLetters.load(deadLetter);
    }
    for (const { accountId, key } of needs.deduplications ?? []) {
      const row = this.#deduplication.get(accountId, key);
      if (row) rows.loadDeduplication(DEDUPLICATIONS.read(row));
    }
    for (const key of needs.lines ?? []) {
      const snapshot = this.#lineSnapshots.read(key);
      if (snapshot) rows.lines.load(key, snapshot);
    }
    for (let count = needs.deadLetterNumbers ?? 0; count > 0; count--) {
      rows.loadDeadLetterNumber(this.#sequences.next("dead-letter"));
    }
  }
}

/** Loads runs and what the rules need of them. */
class Runs {
  readonly #sql: Readonly<Record<keyof typeof RUN_SQL, StatementSync>>;
  readonly #read: RunReading;
  readonly #active: ActiveRunCache;

  constructor(database: Database, active: ActiveRunCache) {
    this.#active = active;
    this.#sql = prepareAll(database, RUN_SQL);
    this.#read = statementReader(database, [LOAD_RUNS_SQL]);
  }

  load(needs: readonly RunNeed[], rows: WorkingSet): void {
    if (needs.length === 0) return;
    const found = needs.flatMap(({ ref }) => {
      const known = this.#active.get(ref);
      if (known !== undefined) {
        rows.runs.load(known);
        return [known];
      }
      const row = this.#sql.run.get(ref.accountId, ref.runId, ref.createdAt ?? null);
      return row === undefined ? [] : [RUNS.read(row)];
    });
    this.#read(loadOfRuns(needs, found, rows.runs));
    for (const need of needs) {
      const run = need.messages === true ? rows.runs.find(need.ref) : null;
      if (run === null) continue;
      const messages = this.#sql.messages.all(run.accountId, run.runId, run.createdAt);
      for (const row of messages) rows.loadMessage(toMessageState(row));
    }
  }
}

const RUN_SQL = {
  // A name without a creation time means the latest run.
  run: `SELECT * FROM runs WHERE account_id = ?1 AND run_id = ?2 AND (created_at = ?3 OR ?3 IS NULL)
    ORDER BY created_at DESC LIMIT 1`,
  // messages_run
  messages: `SELECT * FROM messages
    WHERE account_id = ? AND run_id = ? AND run_created_at = ?`,
} as const;

/** Reads the lines from which a group may lease at once. */
class LineSnapshots {
  readonly #sql: Readonly<Record<keyof typeof SNAPSHOT_SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SNAPSHOT_SQL);
  }

  /** Null when the account is halted or has a limit, which only claims handle. */
  read({ accountId, line }: LineKey): LineSnapshot | null {
    const statement = lineKind(line) === "queue" ? this.#sql.queue : this.#sql.key;
    const row = statement.get(accountId, line);
    return row ? toLineSnapshot(row, { accountId, line }) : null;
  }
}

const IS_UNBOUND = `NOT EXISTS (SELECT 1 FROM accounts
  WHERE account_id = ?1 AND (halted = 1 OR parallelism_max IS NOT NULL))`;

// messages_waiting
const snapshotQuery = (
  held: string,
): string => `SELECT m.parallelism, m.rate, m.period_ms, m.paused,
    m.pinned_parallelism, m.pinned_rate, m.created_at, m.updated_at,
    l.next_at, l.window_started_at, l.window_starts, l.emptied, (${held}) AS held,
    (SELECT ready_at FROM messages
     WHERE account_id = ?1 AND line = ?2 AND phase = 0 AND suspect = 0
     ORDER BY ready_at LIMIT 1) AS next_ready_at
  FROM (SELECT 1)
  LEFT JOIN line_limits AS m ON m.account_id = ?1 AND m.line = ?2
  LEFT JOIN lines AS l ON l.account_id = ?1 AND l.line = ?2
  WHERE ${IS_UNBOUND}`;

const SNAPSHOT_SQL = {
  queue: snapshotQuery(HELD_SQL.queue),
  key: snapshotQuery(HELD_SQL.key),
} as const;

/**
 * Reads the first messages of queues, which a group may lease in place of those that end. None where
 * the account is halted or has a limit.
 */
class QueueHeads {
  readonly #sql: Readonly<Record<keyof typeof HEADS_SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, HEADS_SQL);
  }

  load(needs: readonly Needs[], rows: WorkingSet, now: number): void {
    for (const { key, count } of queuesNamed(needs)) {
      const { accountId, line } = key;
      const queue = this.#sql.queue.get(accountId, line);
      if (queue === undefined) continue;
      const found = this.#sql.heads.all(accountId, line, now, count);
      for (const row of found) rows.loadMessage(toMessageState(row));
      rows.lines.loadHeads(
        key,
        found.map((row) => toQueueHead({ ...row, ...queue }, key)),
      );
    }
  }
}

const HEADS_SQL = {
  queue: `SELECT parallelism, rate, period_ms, paused, (${HELD_SQL.queue}) AS held
    FROM (SELECT 1) LEFT JOIN line_limits ON account_id = ?1 AND line = ?2
    WHERE ${IS_UNBOUND}`,
  // messages_queued
  heads: `SELECT *, NOT EXISTS (SELECT 1 FROM lines
      WHERE account_id = ?1 AND line = messages.line_after
        AND (next_at IS NOT NULL OR emptied = 0)) AS is_direct
    FROM messages
    WHERE account_id = ?1 AND line = ?2 AND phase = 0 AND line_after IS NOT NULL
      AND ready_at <= ?3
    ORDER BY position LIMIT ?4`,
} as const;
