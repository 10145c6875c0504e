import { type DeadLetterKey, deadLetterId } from "../../core/model/message/dead-letter.ts";
import { decodeFacts } from "../../core/model/message/settings.ts";
import type { DeadRun, DeadRunFilter } from "../../core/model/workflow/dead-run.ts";
import { matchesDeadRun } from "../../core/views/matches-run.ts";
import type { PageRequest } from "../reader/page.ts";
import { toAttemptRecord } from "../records/log-step.ts";
import { bytesIn, type Row, toDeadLetter } from "../records/rows.ts";
import { toRunState } from "../records/run-tables.ts";
import { pageValues } from "./dead-letters.ts";
import type { Candidate, SliceRequest } from "./slices.ts";
import { type Noun, type Reading, rowsOf } from "./reading.ts";
import { OF_RUN, runKeyOf } from "./runs.ts";
import { collect, type Offer, type StoredBytesSql, withBytes } from "./stored-bytes.ts";

/**
 * The statements that are written for each driver. Each row of a dead run has the facts of the run,
 * those of its message as `message_facts` and the size of what else is stored of it as
 * `bodies_bytes`.
 */
export interface DeadRunSql extends StoredBytesSql {
  readonly get: string;
  /** Dead runs after `$2` and `$3`, at most `$4`, those at `$5` and `$6` when they are named. */
  readonly list: (order: PageRequest["order"], isNamed: boolean) => string;
  readonly lastAttempt: string;
}

const SHARED = {
  payload: `SELECT body FROM run_entries WHERE ${OF_RUN} AND ordinal = 0`,
} as const;

export function deadRunReads(own: DeadRunSql): Noun<"deadRuns"> {
  const sql = { ...SHARED, ...own };
  const rowsAfter = (accountId: string, { deadLetterIds }: DeadRunFilter, page: SliceRequest) =>
    rowsOf(
      sql.list(page.order, deadLetterIds !== undefined),
      pageValues(accountId, deadLetterIds, page),
    );
  return {
    sql,
    reads: {
      *get({ accountId, diedAt, number }) {
        const rows = yield* rowsOf(sql.get, [accountId, diedAt, number]);
        const [run] = yield* whole(sql, rows.filter(hasMessage));
        return run ?? null;
      },
      *list(accountId, filter, page) {
        const rows = yield* rowsAfter(accountId, filter, page);
        const found = collect(page, rows, (row) => [
          offer(row, filter, hasMessage(row) ? { bytes: bytesOf(row), read: () => row } : null),
        ]);
        return { ...found, items: yield* whole(sql, found.items) };
      },
      *keys(accountId, filter, page) {
        const rows = yield* rowsAfter(accountId, filter, page);
        return collect(page, rows, (row) => [
          offer<DeadLetterKey>(row, filter, { bytes: 0, read: () => toDeadLetter(row) }),
        ]);
      },
    },
  };
}

function offer<Item>(
  row: Row,
  filter: DeadRunFilter,
  candidate: Candidate<Item> | null,
): Offer<Item> {
  const letter = toDeadLetter(row);
  const isWanted = matchesDeadRun(filter, letter, toRunState(row));
  return { position: deadLetterId(letter), found: isWanted ? candidate : null };
}

function hasMessage(row: Row): boolean {
  return row["message_facts"] !== null;
}

function bytesOf(row: Row): number {
  const facts = (row["facts"] as string).length + (row["message_facts"] as string).length;
  return facts + (row["bodies_bytes"] as number);
}

/** Reads what is stored of failed runs besides their rows. */
function* whole(sql: DeadRunSql & typeof SHARED, rows: readonly Row[]): Reading<DeadRun[]> {
  if (rows.length === 0) return [];
  const found = rows.map((row) => {
    const deadLetter = toDeadLetter(row);
    const message = decodeFacts(row["message_facts"] as string);
    const item = { deadLetter, state: toRunState(row) };
    return { item, message, attempt: deadLetter.attempt };
  });
  const states = found.map(({ item }) => item.state);
  const letters = yield* withBytes(sql, found);
  const [payloads, reports] = yield [
    { text: sql.payload, values: [], keys: states.map(runKeyOf) },
    {
      text: sql.lastAttempt,
      values: [],
      // A failure that is not reported has no message, and no message has an empty id.
      keys: states.map(({ accountId, failure }) => [accountId, failure?.call?.messageId ?? ""]),
    },
  ];
  return letters.map(({ item, ...bytes }, index) => {
    const report = reports![index]![0];
    return {
      ...item,
      ...bytes,
      payload: bytesIn(payloads![index]![0]?.["body"]),
      reportAnswer: report === undefined ? null : toAttemptRecord(report),
    };
  });
}
