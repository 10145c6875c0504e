import { decodeFacts } from "../../core/model/message/facts.ts";
import { type AddressFilter, isOpen } from "../../core/model/message/log-filter.ts";
import { matchesLive } from "../../core/views/matches-message.ts";
import { wouldChange } from "../../core/views/would-change.ts";
import { LIVE_ROWS_READ_MAX, type LiveRange } from "../reader/messages.ts";
import type { Page } from "../reader/page.ts";
import { type Row, toMessageState } from "../records/rows.ts";

/** The matching ids among the rows read, and where to continue. */
export function livePage(
  rows: readonly Row[],
  filter: AddressFilter,
  { count, target }: LiveRange,
): Page<string> {
  const open = isOpen(filter);
  const items: string[] = [];
  for (const row of rows) {
    if (!open && !matchesRow(filter, row)) continue;
    if (target !== undefined && !wouldChange(target, toMessageState(row))) continue;
    items.push(row["message_id"] as string);
    if (items.length === count) return { items, next: items.at(-1)! };
  }
  const isLast = rows.length < LIVE_ROWS_READ_MAX;
  return { items, next: isLast ? null : (rows.at(-1)!["message_id"] as string) };
}

function matchesRow(filter: AddressFilter, row: Row): boolean {
  const facts = row["facts"] as string | null;
  return facts !== null && matchesLive(filter, decodeFacts(facts));
}
