import type { Reader, Durability } from "../reader.ts";
import { accountReads, type AccountSql } from "./accounts.ts";
import { deadLetterReads, type DeadLetterSql } from "./dead-letters.ts";
import { deadRunReads, type DeadRunSql } from "./dead-runs.ts";
import { lineReads, type LineSql } from "./lines.ts";
import { messageReads, type MessageSql } from "./messages.ts";
import { type Conditions, type Noun, type Reading, all, one, only } from "./reading.ts";
import { runReads, type RunSql } from "./runs.ts";
import { SCHEDULE_READS } from "./schedules.ts";
import { upkeepReads, type UpkeepSql } from "./upkeep.ts";
import { toUrlGroup, toServiceRecord } from "../records/rows.ts";
import { toWaiter } from "../records/run-tables.ts";
import { STAT_STEPS_MS } from "../../core/model/account/stats.ts";
import {
  BACKLOG_COLUMNS,
  toBacklogPoint,
  STAT_COLUMNS,
  STAT_SUMS,
  toStatPoint,
  toStats,
} from "../records/stats-table.ts";
import type { NodeFacts } from "../node-facts.ts";

/** What a driver writes in its own way; all other statements are shared. */
interface DriverSql {
  readonly conditions: Conditions;
  readonly messages: MessageSql;
  readonly deadLetters: DeadLetterSql;
  readonly runs: RunSql;
  readonly deadRuns: DeadRunSql;
  readonly lines: LineSql;
  readonly accounts: AccountSql;
  readonly service: ServiceSql;
  readonly upkeep: UpkeepSql;
}

/** All that can be read, with the statements of a driver. */
type Nouns = { readonly [Name in keyof Reader]: Noun<Name> };

export function nounsOf({ conditions, ...own }: DriverSql): Nouns {
  return {
    messages: messageReads(own.messages),
    deadLetters: deadLetterReads(own.deadLetters),
    runs: runReads(own.runs),
    deadRuns: deadRunReads(own.deadRuns),
    waiters: WAITER_READS,
    schedules: SCHEDULE_READS,
    lines: lineReads(own.lines, conditions),
    urlGroups: URL_GROUP_READS,
    accounts: accountReads(own.accounts),
    stats: STAT_READS,
    service: serviceReads(own.service),
    upkeep: upkeepReads(own.upkeep, conditions),
  };
}

type Read = (...asked: readonly unknown[]) => Reading<unknown>;

export function readOf(nouns: Nouns, noun: keyof Reader, method: string): Read {
  return (nouns[noun].reads as unknown as Readonly<Record<string, Read>>)[method]!;
}

const URL_GROUP_SQL = {
  get: "SELECT record FROM url_groups WHERE account_id = $1 AND name = $2",
  list: "SELECT record FROM url_groups WHERE account_id = $1 ORDER BY name",
} as const;

const URL_GROUP_READS: Noun<"urlGroups"> = {
  sql: URL_GROUP_SQL,
  reads: {
    get: ({ accountId, name }) => one(URL_GROUP_SQL.get, [accountId, name], toUrlGroup),
    list: (accountId) => all(URL_GROUP_SQL.list, [accountId], toUrlGroup),
  },
};

const WAITER_SQL = {
  forEvent: `SELECT record FROM waiters
    WHERE account_id = $1 AND event_id = $2 AND (run_id, created_at, step_id) > ($3, $4, $5)
    ORDER BY run_id, created_at, step_id LIMIT $6`,
  // waiters_due
  due: "SELECT record FROM waiters WHERE deadline_at <= $1 ORDER BY deadline_at LIMIT $2",
} as const;

const WAITER_READS: Noun<"waiters"> = {
  sql: WAITER_SQL,
  reads: {
    forEvent: (accountId, eventId, after, count) => {
      const { runId = "", createdAt = 0, stepId = 0 } = after ?? {};
      const values = [accountId, eventId, runId, createdAt, stepId, count];
      return all(WAITER_SQL.forEvent, values, toWaiter);
    },
    due: (now, count) => all(WAITER_SQL.due, [now, count], toWaiter),
  },
};

const STAT_SQL = {
  series: `SELECT start_at, ${STAT_COLUMNS.join(", ")} FROM stats
    WHERE account_id = $1 AND step_ms = $2 AND start_at >= $3 AND start_at < $4 AND host = $5
    ORDER BY start_at`,
  hosts: `SELECT host, ${STAT_SUMS} FROM stats
    WHERE account_id = $1 AND step_ms = $2 AND start_at >= $3 AND host > ''
    GROUP BY host ORDER BY sum(attempts) DESC, host LIMIT $4`,
  backlog: `SELECT start_at, ${BACKLOG_COLUMNS.join(", ")} FROM backlog
    WHERE account_id = $1 AND step_ms = $2 AND start_at >= $3 AND start_at < $4 ORDER BY start_at`,
} as const;

const STAT_READS: Noun<"stats"> = {
  sql: STAT_SQL,
  reads: {
    series: (accountId, { step, fromAt, toAt, host = "" }) =>
      all(STAT_SQL.series, [accountId, STAT_STEPS_MS[step], fromAt, toAt, host], toStatPoint),
    hosts: (accountId, fromAt, count) =>
      all(STAT_SQL.hosts, [accountId, STAT_STEPS_MS.hour, fromAt, count], (row) => ({
        host: row["host"] as string,
        ...toStats(row),
      })),
    backlog: (accountId, { step, fromAt, toAt }) =>
      all(STAT_SQL.backlog, [accountId, STAT_STEPS_MS[step], fromAt, toAt], toBacklogPoint),
  },
};

interface ServiceSql {
  readonly durability: string;
}

const SERVICE_SQL = {
  get: "SELECT record FROM service",
  nodes: "SELECT node_id, renewed_at, is_paused, facts FROM nodes ORDER BY node_id",
} as const;

/** A node of an earlier version tells no key. */
function toNodeFacts(facts: string): NodeFacts {
  return { keyIds: [], ...(JSON.parse(facts) as Omit<NodeFacts, "keyIds">) };
}

function serviceReads(own: ServiceSql): Noun<"service"> {
  const sql = { ...SERVICE_SQL, ...own };
  return {
    sql,
    reads: {
      get: () => only(sql.get, [], toServiceRecord),
      nodes: () =>
        all(sql.nodes, [], (row) => ({
          nodeId: row["node_id"] as string,
          renewedAt: Number(row["renewed_at"]),
          isPaused: Boolean(row["is_paused"]),
          ...toNodeFacts(row["facts"] as string),
        })),
      durability: () => only(sql.durability, [], (row) => row["durability"] as Durability),
    },
  };
}
