/** Why the messages of a queue or a key wait, and which one holds a slot. */
import type { WaitingRow } from "../../../sdk/src/answers/message.ts";
import { HeldBy } from "../message/held-by.tsx";

interface WhyCellProps {
  /** Null when nothing waits. */
  readonly why: string | null;
  readonly rows: readonly WaitingRow[];
}

export function WhyCell({ why, rows }: WhyCellProps) {
  if (why === null) return <span class="muted hide-s">nothing waits</span>;
  const holders = rows.flatMap(({ heldBy = [] }) => heldBy);
  if (holders.length === 0) return <>{why}</>;
  return (
    <>
      {why} by <HeldBy ids={holders} shownMax={1} />
    </>
  );
}
