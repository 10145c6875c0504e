/** Schedules and what they made, in the database, past the service. */
import { Client } from "pg";
import type { MadeMessage, ProvedSchedule, SkippedRecord } from "./tick-judge.ts";

export class TickDatabase {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async open(url: string): Promise<TickDatabase> {
    const client = new Client({ connectionString: url });
    await client.connect();
    return new TickDatabase(client);
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  async now(): Promise<number> {
    const [row] = await this.#select(
      "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) AS now",
    );
    return Number(row?.["now"]);
  }

  /** Whatever they say themselves, these fire next at this instant. */
  async makeDue(prefix: string, at: number): Promise<void> {
    // In the order in which nodes lock them, for one may still be about to find that it came late.
    await this.#select(
      `UPDATE schedules SET next_at = ${at} WHERE (account_id, schedule_id) IN (
         SELECT account_id, schedule_id FROM schedules WHERE schedule_id LIKE '${prefix}%'
         ORDER BY account_id, schedule_id FOR UPDATE)`,
    );
  }

  /** Schedules whose instant has come and which have not fired. */
  async dueCount(at: number): Promise<number> {
    const [row] = await this.#select(`SELECT count(*) FROM schedules WHERE next_at <= ${at}`);
    return Number(row?.["count"]);
  }

  async waitingCount(): Promise<number> {
    const [row] = await this.#select("SELECT count(*) FROM messages");
    return Number(row?.["count"]);
  }

  /** What schedules have passed over last. */
  async skipped(): Promise<SkippedRecord[]> {
    const rows = await this.#select(
      "SELECT schedule_id, state FROM schedules WHERE state LIKE '%\"skipped\"%'",
    );
    return rows.map((row) => {
      const { skipped } = JSON.parse(String(row["state"])) as {
        skipped: { firstAt: number; lastAt: number };
      };
      return { scheduleId: String(row["schedule_id"]), ...skipped };
    });
  }

  /** Both as of one moment, so that none fires between the two. */
  async read(perTickOf: (scheduleId: string) => number): Promise<{
    readonly schedules: readonly ProvedSchedule[];
    readonly messages: readonly MadeMessage[];
  }> {
    await this.#select("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const schedules = await this.#select(
      "SELECT schedule_id, next_at, settings FROM schedules JOIN schedule_settings USING (account_id, schedule_id)",
    );
    const facts = await this.#select("SELECT message_id, created_at, facts FROM facts");
    await this.#select("COMMIT");
    return {
      schedules: schedules.map((row) => {
        const scheduleId = String(row["schedule_id"]);
        const { createdAt } = JSON.parse(String(row["settings"])) as { createdAt: number };
        const nextAt = row["next_at"] === null ? null : Number(row["next_at"]);
        return { scheduleId, createdAt, nextAt, perTick: perTickOf(scheduleId) };
      }),
      messages: facts.map((row) => ({
        messageId: String(row["message_id"]),
        createdAt: Number(row["created_at"]),
        scheduleId: (JSON.parse(String(row["facts"])) as { scheduleId: string }).scheduleId,
      })),
    };
  }

  async delivered(): Promise<Set<string>> {
    const rows = await this.#select(
      "SELECT message_id FROM log_entries WHERE state = 'DELIVERED' OR next_state = 'DELIVERED'",
    );
    return new Set(rows.map((row) => String(row["message_id"])));
  }

  async #select(query: string): Promise<Record<string, unknown>[]> {
    const { rows } = await this.#client.query<Record<string, unknown>>(query);
    return rows;
  }
}
