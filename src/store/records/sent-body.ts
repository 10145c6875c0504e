import type { Message } from "../../core/model/message/message.ts";
import type { RunKey } from "../../core/model/workflow/run.ts";
import { isReplayed } from "../../core/model/workflow/run-entry.ts";
import {
  entryList,
  type ListedEntry,
  SENT_BYTES_MAX,
} from "../../core/rules/workflow/entry-list.ts";

/** The body of a delivery: the message's own, or for a step the entries of its run up to it. */
export function sentBody(
  message: Message,
  body: Uint8Array,
  entriesOf: (key: RunKey, ordinal: number) => readonly ListedEntry[],
): Uint8Array {
  const { accountId, kind, run } = message;
  if (kind !== "step" || run === undefined) return body;
  const { runId, createdAt, ordinal, lazyFetch } = run;
  const entries = entriesOf({ accountId, runId, createdAt }, ordinal);
  const list = entryList(entries.filter((entry) => isReplayed(entry.kind)));
  // The endpoint fetches what is too large to send.
  return lazyFetch === true && list.byteLength > SENT_BYTES_MAX ? new Uint8Array(0) : list;
}
