/** What both databases keep of a move in its source. */
import type { MoveMark, ServiceRecord } from "../../core/model/account/account.ts";
import type { Row } from "../records/rows.ts";
import { StoreOpenError } from "../store-open-error.ts";
import type { ChangedRow, Numbers } from "./move-ends.ts";

export const CHANGES_SQL = "SELECT coalesce(max(number), 0) AS changes FROM move_changes";
export const CHANGED_SQL = `SELECT number, table_name, key FROM move_changes
  WHERE number > $1 AND number <= $2 ORDER BY number LIMIT 1000`;
/** Live nodes that may start a delivery or have one under way. */
export const BUSY_SQL = `SELECT count(*) AS busy FROM nodes WHERE renewed_at > $1
  AND (NOT is_paused OR EXISTS (SELECT 1 FROM messages WHERE messages.node_id = nodes.node_id))`;
export const LATEST_SQL = `SELECT left_at, (SELECT max(renewed_at) FROM nodes) AS renewed_at
  FROM service`;
export const SET_RECORD_SQL = "UPDATE service SET record = $1";

export function toChangedRow(row: Row): ChangedRow {
  return {
    number: row["number"] as number,
    table: row["table_name"] as string,
    key: JSON.parse(row["key"] as string) as ChangedRow["key"],
  };
}

export function toLatestAt(row: Row | undefined): number {
  return Math.max(Number(row?.["left_at"] ?? 0), Number(row?.["renewed_at"] ?? 0));
}

export function begunElsewhere({ to }: MoveMark): StoreOpenError {
  return new StoreOpenError(
    `a move to ${to} has begun and not ended; end it by running it again, or forget it with --cancel`,
  );
}

/** Another move that has not ended keeps this one from beginning. */
export function requireNoOther({ move }: ServiceRecord, id: string): void {
  if (move !== undefined && move.id !== id) throw begunElsewhere(move);
}

/** The mark of the move with this id; what it has noted is gone when it was canceled meanwhile. */
export function requireMark({ move }: ServiceRecord, id: string): MoveMark {
  if (move?.id !== id)
    throw new StoreOpenError("this move was canceled by postrider move --cancel");
  return move;
}

/** A move that has ended cannot be forgotten. */
export function requireNotMoved({ move }: ServiceRecord): void {
  if (move?.isMoved === true) throw new StoreOpenError(`the data was moved to ${move.to}`);
}

/** The record of the service with another mark, or without one. */
export function marked({ move: _before, ...service }: ServiceRecord, move?: MoveMark): string {
  return JSON.stringify(move === undefined ? service : { ...service, move });
}

/** The record of the service as it begins at the target, paused if it was so before. */
export function arrived({ move: _move, ...service }: ServiceRecord, id: string): string {
  return JSON.stringify({ ...service, arrivedBy: id });
}

/** The sequences of a database, by what they number. */
export type SequenceNumbers = Omit<Numbers, "latestAt">;
