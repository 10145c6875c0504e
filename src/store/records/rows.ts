import type { DeadLetter } from "../../core/model/message/dead-letter.ts";
import {
  type LineLimits,
  type LineRunning,
  type LineKey,
  type LineSetting,
  type LineSnapshot,
  type QueueHead,
  unsetLimits,
} from "../../core/model/line/line.ts";
import type { MessageState } from "../../core/model/message/message.ts";
import type { UrlGroup } from "../../core/model/url-group/url-group.ts";
import type { ServiceRecord } from "../../core/model/account/account.ts";

/** Rows of either database as types of the core. */
export type Row = Readonly<Record<string, unknown>>;

/** SQLite's substr of an empty blob is NULL. */
export function bytesIn(value: unknown): Uint8Array {
  return (value as Uint8Array | null | undefined) ?? new Uint8Array(0);
}

export function toMessageState(row: Row): MessageState {
  return {
    accountId: row["account_id"] as string,
    messageId: row["message_id"] as string,
    phase: row["phase"] === 1 ? "active" : "waiting",
    attempts: row["attempts"] as number,
    readyAt: row["ready_at"] as number,
    line: row["line"] as string,
    lineAfter: row["line_after"] as string | null,
    host: row["host"] as string,
    bytes: row["bytes"] as number,
    fence: row["fence"] as number,
    nodeId: row["node_id"] as string | null,
    leasedAt: row["leased_at"] as number | null,
    losses: row["losses"] as number,
    cancelRequested: Boolean(row["cancel_requested"]),
    rootId: row["root_id"] as string | null,
    queue: row["queue"] as string | null,
    run: runOf(row),
  };
}

export function toDeadLetter(row: Row): DeadLetter {
  const run = runOf(row);
  return {
    ...(run === null ? {} : { run }),
    accountId: row["account_id"] as string,
    diedAt: row["died_at"] as number,
    number: row["number"] as number,
    messageId: row["message_id"] as string,
    attempt: row["attempt"] as number,
    status: row["status"] as number,
    error: (row["error"] as string | null) ?? undefined,
    cause: row["cause"] as string,
  };
}

function runOf(row: Row): { runId: string; createdAt: number } | null {
  const runId = row["run_id"] as string | null;
  return runId === null ? null : { runId, createdAt: row["run_created_at"] as number };
}

export function toLineLimits(row: Row): LineLimits {
  return {
    parallelism: row["parallelism"] as number | null,
    rate: row["rate"] as number | null,
    periodMs: row["period_ms"] as number,
    paused: Boolean(row["paused"]),
  };
}

export function toLineSetting(row: Row): LineSetting {
  return settingIn(row, { accountId: row["account_id"] as string, line: row["line"] as string });
}

function settingIn(row: Row, { accountId, line }: LineKey): LineSetting {
  return {
    accountId,
    line,
    limits: toLineLimits(row),
    isParallelismPinned: Boolean(row["pinned_parallelism"]),
    isRatePinned: Boolean(row["pinned_rate"]),
    createdAt: row["created_at"] as number,
    updatedAt: row["updated_at"] as number,
  };
}

export function toUrlGroup(row: Row): UrlGroup {
  return JSON.parse(row["record"] as string) as UrlGroup;
}

export function toLineRunning(row: Row): LineRunning {
  return {
    nextAt: row["next_at"] as number | null,
    windowStartedAt: row["window_started_at"] as number,
    windowStarts: row["window_starts"] as number,
    emptied: Boolean(row["emptied"]),
  };
}

/** A row of a line's settings and running state, where it has them. */
export function toLineSnapshot(row: Row, key: LineKey): LineSnapshot {
  return {
    setting: row["period_ms"] === null ? null : settingIn(row, key),
    running: row["emptied"] === null ? null : toLineRunning(row),
    held: row["held"] as number,
    nextReadyAt: row["next_ready_at"] as number | null,
  };
}

/** A row of a message in a queue, with the limits of the queue, where it has a setting. */
export function toQueueHead(row: Row, { line }: LineKey): QueueHead {
  return {
    state: toMessageState(row),
    isDirect: Boolean(row["is_direct"]),
    limits: row["period_ms"] === null ? unsetLimits(line) : toLineLimits(row),
    held: row["held"] as number,
  };
}

export function toServiceRecord(row: Row | undefined): ServiceRecord {
  return JSON.parse(row?.["record"] as string) as ServiceRecord;
}
