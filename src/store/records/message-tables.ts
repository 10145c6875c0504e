import type { BodyPiece } from "../../core/model/message/body-piece.ts";
import type { Deduplication, NewMessage } from "../../core/change.ts";
import type { DeadLetter, DeadLetterKey } from "../../core/model/message/dead-letter.ts";
import { type MessageKey, isSuspect, type MessageState } from "../../core/model/message/message.ts";
import type { LogStep } from "./log-step.ts";
import { toDeadLetter, toMessageState } from "./rows.ts";
import { type LoadedTable, type Table, tableOf } from "./table.ts";

export const FACTS: Table<NewMessage> = {
  name: "facts",
  key: [
    ["account_id", "text", ({ state }) => state.accountId],
    ["message_id", "text", ({ state }) => state.messageId],
  ],
  columns: [
    ["created_at", "bigint", ({ createdAt }) => createdAt],
    ["source_id", "text?", ({ sourceId }) => sourceId ?? null],
    ["facts", "long text", ({ facts }) => facts],
    ["body", "bytea", ({ body }) => body],
  ],
  usual: { source_id: null },
};

export const BODY_PIECES = tableOf<Omit<BodyPiece, "body">, BodyPiece>(
  "body_pieces",
  ["accountId", "messageId", "attempt", "piece"],
  { accountId: "text", messageId: "text", attempt: "int", piece: "int", body: "bytea" },
);

/** Besides these a row has `position`, which each driver draws, and `capped`, which a claim sets. */
export const MESSAGES: LoadedTable<MessageKey, MessageState> = {
  name: "messages",
  read: toMessageState,
  key: [
    ["account_id", "text", ({ accountId }) => accountId],
    ["message_id", "text", ({ messageId }) => messageId],
  ],
  columns: [
    ["phase", "smallint", ({ phase }) => (phase === "active" ? 1 : 0)],
    ["attempts", "int", ({ attempts }) => attempts],
    ["ready_at", "bigint", ({ readyAt }) => readyAt],
    ["line", "text", ({ line }) => line],
    ["line_after", "text?", ({ lineAfter }) => lineAfter],
    ["fence", "bigint", ({ fence }) => fence],
    ["node_id", "text?", ({ nodeId }) => nodeId],
    ["leased_at", "bigint?", ({ leasedAt }) => leasedAt],
    ["losses", "int", ({ losses }) => losses],
    ["suspect", "boolean", isSuspect],
    ["cancel_requested", "boolean", ({ cancelRequested }) => cancelRequested],
    ["host", "text", ({ host }) => host],
    ["bytes", "int", ({ bytes }) => bytes],
    ["root_id", "text?", ({ rootId }) => rootId],
    ["queue", "text?", ({ queue }) => queue],
    ["run_id", "text?", ({ run }) => run?.runId ?? null],
    ["run_created_at", "bigint?", ({ run }) => run?.createdAt ?? null],
  ],
  fixed: ["host", "bytes", "root_id", "run_id", "run_created_at"],
  usual: {
    attempts: 0,
    line_after: null,
    losses: 0,
    suspect: false,
    cancel_requested: false,
    root_id: null,
    queue: null,
    run_id: null,
    run_created_at: null,
  },
};

/** Besides these a row has `number`, which each driver draws. */
export const LOG_ENTRIES: Table<LogStep> = {
  name: "log_entries",
  key: [],
  columns: [
    ["account_id", "text", ({ entry }) => entry.accountId],
    ["message_id", "text", ({ entry }) => entry.messageId],
    ["at", "bigint", ({ entry }) => entry.at],
    ["state", "text", ({ entry }) => entry.state],
    ["next_state", "text?", ({ next }) => next?.state ?? null],
    ["attempt", "int?", ({ entry, next }) => entry.attempt ?? next?.attempt ?? null],
    ["status", "int?", ({ entry }) => entry.status ?? null],
    ["error", "free text?", ({ entry }) => entry.error ?? null],
    ["next_at", "bigint?", ({ entry, next }) => entry.nextAt ?? next?.nextAt ?? null],
    ["started_at", "bigint?", ({ attempt }) => attempt?.startedAt ?? null],
    ["ended_at", "bigint?", ({ attempt }) => attempt?.endedAt ?? null],
    ["node_id", "text?", ({ nodeId }) => nodeId],
    ["headers", "long text?", ({ attempt }) => attempt?.headers ?? null],
    ["body", "bytea?", ({ attempt }) => attempt?.body ?? null],
  ],
  usual: { error: null, next_at: null },
};

export const DEAD_LETTERS: LoadedTable<DeadLetterKey, DeadLetter> = {
  name: "dead_letters",
  read: toDeadLetter,
  key: [
    ["account_id", "text", ({ accountId }) => accountId],
    ["died_at", "bigint", ({ diedAt }) => diedAt],
    ["number", "bigint", ({ number }) => number],
  ],
  columns: [
    ["message_id", "text", ({ messageId }) => messageId],
    ["attempt", "int", ({ attempt }) => attempt],
    ["status", "int", ({ status }) => status],
    ["error", "free text?", ({ error }) => error ?? null],
    ["cause", "text", ({ cause }) => cause],
    ["run_id", "text?", ({ run }) => run?.runId ?? null],
    ["run_created_at", "bigint?", ({ run }) => run?.createdAt ?? null],
  ],
};

export const DEDUPLICATIONS = tableOf<DeduplicationKey, Deduplication>(
  "deduplications",
  ["accountId", "key"],
  { accountId: "text", key: "text", messageId: "text", expiresAt: "bigint" },
);

type DeduplicationKey = Pick<Deduplication, "accountId" | "key">;
