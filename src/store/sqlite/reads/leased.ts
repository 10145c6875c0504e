import type { StatementSync } from "node:sqlite";

import { decodeFacts } from "../../../core/model/message/facts.ts";
import type { Message } from "../../../core/model/message/message.ts";
import type { ClaimedLease } from "../../claim-budget.ts";
import { toListedEntry } from "../../records/run-records.ts";
import { sentBody } from "../../records/sent-body.ts";
import type { LeasedMessage } from "../../store.ts";
import { keyOf } from "../tables/runs.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import { NO_BYTES } from "./stored-bytes.ts";

/** Leased messages with all that is needed to send them. */
export class LeasedReads {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  leased(claimed: readonly ClaimedLease[]): LeasedMessage[] {
    return claimed.flatMap(({ accountId, messageId, fence, host, attempts }) => {
      const facts = this.#sql.facts.get(accountId, messageId);
      if (facts === undefined) return [];
      const lease = { accountId, messageId, fence };
      const message = decodeFacts(facts["facts"] as string);
      const body = (facts["body"] as Uint8Array | null) ?? NO_BYTES;
      return [{ lease, message, body: this.#sent(message, body), host, attempts }];
    });
  }

  /** The body of a message to the endpoint of a run: the run's entries up to its own. */
  #sent(message: Message, body: Uint8Array): Uint8Array {
    return sentBody(message, body, (key, ordinal) =>
      this.#sql.sent.all(...keyOf(key), ordinal).map(toListedEntry),
    );
  }
}

const SQL = {
  facts: "SELECT facts, body FROM facts WHERE account_id = ? AND message_id = ?",
  sent: `SELECT kind, message_id, body FROM run_entries
    WHERE account_id = ? AND run_id = ? AND created_at = ? AND ordinal <= ? ORDER BY ordinal`,
} as const;
