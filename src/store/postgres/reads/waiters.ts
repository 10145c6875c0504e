import type { Waiter, WaiterKey } from "../../../core/model/workflow/waiter.ts";
import type { NounReader } from "../../reads/driver-reader.ts";
import { toWaiter } from "../../records/run-records.ts";
import type { Session } from "../driver/conversation.ts";

export class WaiterReads implements NounReader<"waiters"> {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async forEvent(
    accountId: string,
    eventId: string,
    after: WaiterKey | null,
    count: number,
  ): Promise<Waiter[]> {
    const { runId = "", createdAt = 0, stepId = 0 } = after ?? {};
    const values = [accountId, eventId, runId, createdAt, stepId, count];
    return (await this.#session.query(SQL.forEvent, values)).map(toWaiter);
  }

  async due(now: number, count: number): Promise<Waiter[]> {
    return (await this.#session.query(SQL.due, [now, count])).map(toWaiter);
  }

  async nextAt(): Promise<number | null> {
    const [row] = await this.#session.query(SQL.nextAt);
    return (row?.["deadline_at"] as number | undefined) ?? null;
  }
}

const SQL = {
  forEvent: `SELECT record FROM waiters
    WHERE account_id = $1 AND event_id = $2 AND (run_id, created_at, step_id) > ($3, $4, $5)
    ORDER BY run_id, created_at, step_id LIMIT $6`,
  // waiters_due
  due: "SELECT record FROM waiters WHERE deadline_at <= $1 ORDER BY deadline_at LIMIT $2",
  nextAt: "SELECT deadline_at FROM waiters ORDER BY deadline_at LIMIT 1",
} as const;
