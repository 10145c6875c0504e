import type { StatementSync } from "node:sqlite";

import type { DeadLetter, DeadLetterKey } from "../../../core/model/message/dead-letter.ts";
import type { MessageKey, MessageState } from "../../../core/model/message/message.ts";
import type { Needs } from "../../../core/rule.ts";
import { type Act, needsOf } from "../../../core/rules/registry.ts";
import type { ClockTime } from "../../../platform/clock.ts";
import { DEAD_LETTERS, DEDUPLICATIONS } from "../../records/message-tables.ts";
import { toMessageState } from "../../records/rows.ts";
import { WorkingSet } from "../../group/working-set.ts";
import type { LeasedMessageCache } from "./leased-messages.ts";
import type { Database } from "../thread/connection.ts";
import type { Resources } from "../tables/resources.ts";
import { LineSnapshots } from "../tables/line-snapshot.ts";
import { Runs } from "../tables/runs.ts";
import type { Sequences } from "./sequences.ts";
import { loadFrom } from "./table-statements.ts";

/** Loads the rows that the acts of a group need, by primary key. */
export class Load {
  readonly #sequences: Sequences;
  readonly #active: LeasedMessageCache;
  readonly #resources: Resources;
  readonly #runs: Runs;
  readonly #lineSnapshots: LineSnapshots;
  readonly #message: StatementSync;
  readonly #deadLetter: (key: DeadLetterKey) => DeadLetter | null;
  readonly #deduplication: StatementSync;

  constructor(
    database: Database,
    sequences: Sequences,
    active: LeasedMessageCache,
    resources: Resources,
  ) {
    this.#runs = new Runs(database);
    this.#sequences = sequences;
    this.#active = active;
    this.#resources = resources;
    this.#lineSnapshots = new LineSnapshots(database);
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
