import type { DeadLetterKey } from "../../../core/model/message/dead-letter.ts";
import type { Oldest } from "../../reader.ts";
import type { Connections } from "../driver/connection.ts";

/** The age and number of an account's records, which the janitor reads before it sweeps. */
export class RetentionReader {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async oldest(accountIds: readonly string[]): Promise<Oldest[]> {
    const rows = await this.#connections.read((session) => session.query(SQL.oldest, [accountIds]));
    return rows.map((row) => ({
      accountId: row["account_id"] as string,
      messageAt: row["message_at"] as number | null,
      deadLetterAt: row["dead_letter_at"] as number | null,
    }));
  }

  async olderDeadLetter(
    accountId: string,
    than: DeadLetterKey | null,
    steps: number,
  ): Promise<DeadLetterKey | null> {
    const { diedAt, number } = than ?? YOUNGEST;
    const values = [accountId, diedAt, number, steps - 1];
    const [row] = await this.#connections.read((session) => session.query(SQL.older, values));
    if (row === undefined) return null;
    return { accountId, diedAt: row["died_at"] as number, number: row["number"] as number };
  }
}

const YOUNGEST = { diedAt: Number.MAX_SAFE_INTEGER, number: 0 };

const SQL = {
  oldest: `SELECT a.account_id,
      (SELECT f.created_at FROM facts f WHERE f.account_id = a.account_id
        ORDER BY f.message_id LIMIT 1) AS message_at,
      (SELECT d.died_at FROM dead_letters d WHERE d.account_id = a.account_id
        ORDER BY d.died_at, d.number LIMIT 1) AS dead_letter_at
    FROM unnest($1::text[]) AS a (account_id)`,
  older: `SELECT died_at, number FROM dead_letters
    WHERE account_id = $1 AND (died_at, number) < ($2, $3)
    ORDER BY died_at DESC, number DESC LIMIT 1 OFFSET $4`,
} as const;
