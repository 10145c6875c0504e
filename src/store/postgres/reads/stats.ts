import type { BacklogPoint } from "../../../core/model/account/backlog.ts";
import {
  type HostStats,
  STAT_STEPS_MS,
  type StatPoint,
} from "../../../core/model/account/stats.ts";
import { BACKLOG_COLUMNS, toBacklogPoint } from "../../records/backlog-table.ts";
import { STAT_COLUMNS, STAT_SUMS, toStatPoint, toStats } from "../../records/stats-table.ts";
import type { StatRange } from "../../reader/stats.ts";
import type { NounReader } from "../../reads/driver-reader.ts";
import type { Session } from "../driver/conversation.ts";

export class StatReads implements NounReader<"stats"> {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async series(
    accountId: string,
    { step, fromAt, toAt, host = "" }: StatRange,
  ): Promise<StatPoint[]> {
    const values = [accountId, STAT_STEPS_MS[step], fromAt, toAt, host];
    return (await this.#session.query(SQL.series, values)).map(toStatPoint);
  }

  async hosts(accountId: string, fromAt: number, count: number): Promise<HostStats[]> {
    const values = [accountId, STAT_STEPS_MS.hour, fromAt, count];
    const rows = await this.#session.query(SQL.hosts, values);
    return rows.map((row) => ({ host: row["host"] as string, ...toStats(row) }));
  }

  async backlog(accountId: string, { step, fromAt, toAt }: StatRange): Promise<BacklogPoint[]> {
    const values = [accountId, STAT_STEPS_MS[step], fromAt, toAt];
    return (await this.#session.query(SQL.backlog, values)).map(toBacklogPoint);
  }
}

const SQL = {
  series: `SELECT start_at, ${STAT_COLUMNS.join(", ")} FROM stats
    WHERE account_id = $1 AND step_ms = $2 AND start_at >= $3 AND start_at < $4 AND host = $5
    ORDER BY start_at`,
  hosts: `SELECT host, ${STAT_SUMS} FROM stats
    WHERE account_id = $1 AND step_ms = $2 AND start_at >= $3 AND host > ''
    GROUP BY host ORDER BY sum(attempts) DESC, host LIMIT $4`,
  backlog: `SELECT start_at, ${BACKLOG_COLUMNS.join(", ")} FROM backlog
    WHERE account_id = $1 AND step_ms = $2 AND start_at >= $3 AND start_at < $4 ORDER BY start_at`,
} as const;
