import type { DeadLetterFilter } from "../../../core/model/message/dead-letter-filter.ts";
import { type DeadLetterKey, parseDeadLetterId } from "../../../core/model/message/dead-letter.ts";
import { LOG_STATES } from "../../../core/model/message/log-entry.ts";
import type { LogFilter } from "../../../core/model/message/log-filter.ts";
import { ENTRY_COLUMNS } from "../../records/log-step.ts";
import type { SliceRequest } from "../../reader.ts";

type Statement = [text: string, values: unknown[]];

/**
 * A number of log rows, by log_entries_message when messages are named, else by the primary key.
 * Rows of other states are returned without their facts, so that the rows a list reads are counted
 * and bounded.
 */
export function logChunk(
  accountId: string,
  { messageIds, states }: LogFilter,
  { after, rowsMax, order }: SliceRequest,
  bytesMax: number,
): Statement {
  // An entry after the cursor may be in the same row as the cursor.
  const [compare, direction] = order === "latestFirst" ? ["<", "DESC"] : [">=", "ASC"];
  // `number + 0` makes the order of the primary key useless, so that the server does not search the
  // whole log for a few messages.
  const by = messageIds === undefined ? "number" : "number + 0";
  return [
    `SELECT ${ENTRY_COLUMNS}, f.facts,
       least(coalesce(octet_length(f.body), 0), $1) AS body_bytes, attempt_bytes
     FROM (
       SELECT *, coalesce(octet_length(headers), 0) + coalesce(octet_length(body), 0)
         AS attempt_bytes
       FROM log_entries WHERE account_id = $2
         ${after === null ? "AND $3::bigint IS NULL" : `AND number ${compare} $3`}
         ${messageIds === undefined ? "AND $4::text[] IS NULL" : "AND message_id = ANY ($4::text[])"}
       ORDER BY ${by} ${direction} LIMIT $5
     ) e
     LEFT JOIN LATERAL (
       SELECT facts, body FROM facts
       WHERE account_id = e.account_id AND message_id = e.message_id
         AND (e.state = ANY ($6::text[]) OR e.next_state = ANY ($6::text[]))
       OFFSET 0
     ) f ON true
     ORDER BY e.number ${direction}`,
    [
      bytesMax,
      accountId,
      after === null ? null : Number(after),
      messageIds ?? null,
      rowsMax,
      states ?? LOG_STATES,
    ],
  ];
}

/** A number of dead letters, by the primary key. */
export function deadLetterChunk(
  accountId: string,
  { deadLetterIds }: DeadLetterFilter,
  { rowsMax, order }: SliceRequest,
  after: DeadLetterKey | null,
): Statement {
  const [compare, direction] = order === "latestFirst" ? ["<", "DESC"] : [">", "ASC"];
  const named = deadLetterIds
    ?.map((id) => parseDeadLetterId(accountId, id))
    .filter((key) => key !== null);
  const numbers = named?.map(({ number }) => number) ?? null;
  const instants = named?.map(({ diedAt }) => diedAt) ?? null;
  return [
    `SELECT d.*, f.facts, coalesce(octet_length(f.body), 0) AS body_bytes,
       coalesce(octet_length(a.headers), 0) + coalesce(octet_length(a.body), 0) AS attempt_bytes
     FROM (
       SELECT * FROM dead_letters WHERE account_id = $1
         ${after === null ? "AND $2::bigint IS NULL AND $3::bigint IS NULL" : `AND (died_at, number) ${compare} ($2, $3)`}
         ${named === undefined ? "AND $4::bigint[] IS NULL AND $5::bigint[] IS NULL" : "AND (died_at, number) IN (SELECT * FROM unnest($4::bigint[], $5::bigint[]))"}
       ORDER BY died_at ${direction}, number ${direction} LIMIT $6
     ) d
     LEFT JOIN LATERAL (
       SELECT facts, body FROM facts
       WHERE account_id = d.account_id AND message_id = d.message_id OFFSET 0
     ) f ON true
     LEFT JOIN LATERAL (
       SELECT headers, body FROM log_entries
       WHERE account_id = d.account_id AND message_id = d.message_id
         AND attempt = d.attempt AND started_at IS NOT NULL
       OFFSET 0
     ) a ON true
     ORDER BY d.died_at ${direction}, d.number ${direction}`,
    [accountId, after?.diedAt ?? null, after?.number ?? null, instants, numbers, rowsMax],
  ];
}

/** Looked up one by one: given a join, the server may read all rows of the account for a few. */
export const LIST_SQL = {
  bodies: `SELECT f.* FROM unnest($2::text[]) AS k (message_id)
    CROSS JOIN LATERAL (
      SELECT message_id, substr(body, 1, $3) AS body FROM facts
      WHERE account_id = $1 AND message_id = k.message_id OFFSET 0
    ) f`,
  attempts: `SELECT a.* FROM unnest($2::text[], $3::int[]) AS k (message_id, attempt)
    CROSS JOIN LATERAL (
      SELECT * FROM log_entries
      WHERE account_id = $1 AND message_id = k.message_id AND attempt = k.attempt
        AND started_at IS NOT NULL
      OFFSET 0
    ) a`,
} as const;
