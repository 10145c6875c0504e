import type { NewMessage } from "../../core/change.ts";
import { decodeFacts } from "../../core/model/message/settings.ts";
import type { GrantedLease, Message } from "../../core/model/message/message.ts";
import { ENTRY_KINDS, isReplayed } from "../../core/model/workflow/run.ts";
import {
  entryList,
  type ListedEntry,
  SENT_BYTES_MAX,
} from "../../core/rules/workflow/run-entries.ts";
import type { LeasedMessage } from "../store.ts";
import { bytesIn, type Row } from "../records/rows.ts";
import { lookUp, type Reading } from "./reading.ts";
import { PIECES_SQL, wholeBodies } from "./body-pieces.ts";

export const LEASED_SQL = {
  ...PIECES_SQL,
  facts: "SELECT facts, body FROM facts WHERE account_id = $1 AND message_id = $2",
  sent: `SELECT kind, message_id, body FROM run_entries
    WHERE account_id = $1 AND run_id = $2 AND created_at = $3 AND ordinal <= $4 ORDER BY ordinal`,
} as const;

/** Leased messages with all that is needed to send them. */
export function* readLeased(claimed: readonly GrantedLease[]): Reading<LeasedMessage[]> {
  return yield* withEntries(yield* readFacts(claimed));
}

/** The same without the entries of their runs. */
export function* readFacts(claimed: readonly GrantedLease[]): Reading<LeasedMessage[]> {
  const keys = claimed.map(({ accountId, messageId }) => [accountId, messageId]);
  const facts = yield* lookUp(LEASED_SQL.facts, keys);
  const found = claimed.flatMap((granted, index) => {
    const row = facts[index]![0];
    if (row === undefined) return [];
    return [toLeased(granted, { facts: row["facts"] as string, body: bytesIn(row["body"]) })];
  });
  const bodies = yield* wholeBodies(found);
  return found.map((read, index) => ({ ...read, body: bodies[index]! }));
}

export function toLeased(
  { accountId, messageId, fence, host, attempts }: GrantedLease,
  { facts, body }: Pick<NewMessage, "facts" | "body">,
): LeasedMessage {
  const lease = { accountId, messageId, fence };
  return { lease, message: decodeFacts(facts), body, host, attempts };
}

/** A message to the endpoint of a run carries the run's entries up to its own. */
export function carriesEntries({ message }: LeasedMessage): boolean {
  return message.kind === "step" && message.run !== undefined;
}

export function* withEntries(messages: LeasedMessage[]): Reading<LeasedMessage[]> {
  const steps = messages.filter(carriesEntries);
  if (steps.length === 0) return messages;
  const rows = yield* lookUp(
    LEASED_SQL.sent,
    steps.map(({ message: { accountId, run } }) => {
      return [accountId, run!.runId, run!.createdAt, run!.ordinal];
    }),
  );
  const entries = new Map(steps.map((step, index) => [step, rows[index]!.map(toListedEntry)]));
  return messages.map((read) => {
    const sent = entries.get(read);
    return sent === undefined ? read : { ...read, body: sentBody(read.message, sent) };
  });
}

function sentBody({ run }: Message, entries: readonly ListedEntry[]): Uint8Array {
  const list = entryList(entries.filter((entry) => isReplayed(entry.kind)));
  // The endpoint fetches what is too large to send.
  return run?.lazyFetch === true && list.byteLength > SENT_BYTES_MAX ? new Uint8Array(0) : list;
}

/** Only the columns that are sent: a long run has many entries. */
function toListedEntry(row: Row): ListedEntry {
  return {
    kind: ENTRY_KINDS[row["kind"] as number]!,
    messageId: row["message_id"] as string,
    body: row["body"] as Uint8Array,
  };
}
