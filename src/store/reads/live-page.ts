import { decodeFacts } from "../../core/model/message/facts.ts";
import { type AddressFilter, isOpen } from "../../core/model/message/log-filter.ts";
import { matchesLive } from "../../core/views/matches-message.ts";
import { LIVE_ROWS_READ_MAX } from "../reader/messages.ts";
import type { Page } from "../reader/page.ts";
import type { Row } from "../records/rows.ts";

/** The matching ids among the rows read, and where to continue. */
export function livePage(rows: readonly Row[], filter: AddressFilter, count: number): Page<string> {
  const open = isOpen(filter);
  const items: string[] = [];
  for (const row of rows) {
    if (!open && !matchesRow(filter, row)) continue;
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
