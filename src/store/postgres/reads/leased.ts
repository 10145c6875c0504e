import { decodeFacts } from "../../../core/model/message/facts.ts";
import type { ListedEntry } from "../../../core/rules/workflow/entry-list.ts";
import type { ClaimedLease } from "../../claim-budget.ts";
import { toListedEntry } from "../../records/run-records.ts";
import { sentBody } from "../../records/sent-body.ts";
import type { LeasedMessage } from "../../store.ts";
import { pairKey } from "../../group/row-keys.ts";
import { MESSAGES } from "../../records/message-tables.ts";
import { arraysOf } from "../group/table-statements.ts";
import { columnsOf } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";

/** Leased messages with all that is needed to send them. */
export class LeasedReads {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async leased(claimed: readonly ClaimedLease[]): Promise<LeasedMessage[]> {
    const keys = arraysOf(MESSAGES.key, claimed);
    const rows = await this.#session.query(SQL.facts, keys);
    const facts = new Map(
      rows.map((row) => [pairKey(row["account_id"] as string, row["message_id"] as string), row]),
    );
    const read = claimed.flatMap(({ accountId, messageId, fence, host, attempts }) => {
      const row = facts.get(pairKey(accountId, messageId));
      if (row === undefined) return [];
      const lease = { accountId, messageId, fence };
      const message = decodeFacts(row["facts"] as string);
      return [{ lease, message, body: row["body"] as Uint8Array, host, attempts }];
    });
    return this.#sent(read);
  }

  /** A message to the endpoint of a run carries the run's entries up to its own. */
  async #sent(messages: readonly LeasedMessage[]): Promise<LeasedMessage[]> {
    const steps = messages.filter(({ message }) => message.kind === "step");
    if (steps.length === 0) return [...messages];
    const columns = columnsOf(
      steps,
      ({ message }) => message.accountId,
      ({ message }) => message.run?.runId,
      ({ message }) => message.run?.createdAt,
      ({ message }) => message.run?.ordinal,
    );
    const entries = new Map<string, ListedEntry[]>(
      steps.map(({ message }) => [message.messageId, []]),
    );
    for (const row of await this.#session.query(SQL.sent, columns)) {
      const { messageId } = steps[(row["nth"] as number) - 1]!.message;
      entries.get(messageId)?.push(toListedEntry(row));
    }
    return messages.map((read) => ({
      ...read,
      body: sentBody(read.message, read.body, () => entries.get(read.message.messageId) ?? []),
    }));
  }
}

const SQL = {
  facts: `SELECT f.* FROM unnest($1::text[], $2::text[]) AS k (account_id, message_id)
    CROSS JOIN LATERAL (
      SELECT account_id, message_id, facts, body FROM facts
      WHERE account_id = k.account_id AND message_id = k.message_id OFFSET 0
    ) f`,
  sent: `SELECT k.nth, e.kind, e.message_id, e.body
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::int[])
      WITH ORDINALITY AS k (account_id, run_id, created_at, ordinal, nth)
    CROSS JOIN LATERAL (
      SELECT kind, message_id, body FROM run_entries
      WHERE account_id = k.account_id AND run_id = k.run_id AND created_at = k.created_at
        AND ordinal <= k.ordinal
      ORDER BY ordinal
    ) e`,
} as const;
