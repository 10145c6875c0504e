/** What waits in a queue or a key, as a number. */
import type { WaitingRow } from "../../../sdk/src/answers/message.ts";
import { countText } from "../app/format.ts";

/** Has a plus where the server stopped counting. */
export function waitingText(count: number, rows: readonly Pick<WaitingRow, "isAbout">[]): string {
  return rows.some(({ isAbout }) => isAbout) ? `${countText(count)}+` : countText(count);
}
