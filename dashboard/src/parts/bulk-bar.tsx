/** What can be done with the chosen rows, and to how many. Absent when nothing is chosen. */
import type { ComponentChildren } from "preact";
import { countText } from "../app/format.ts";

interface BulkBarProps {
  readonly label: string;
  readonly count: number;
  /** `3 messages, 4 runs`, or the progress of the action. */
  readonly detail?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function BulkBar({ label, count, detail, children }: BulkBarProps) {
  if (count === 0) return null;
  return (
    <div class="bulk" role="toolbar" aria-label={label}>
      <span class="num">
        <b>{countText(count)} selected</b> <span class="soft">{detail}</span>
      </span>
      <div class="acts">{children}</div>
    </div>
  );
}
