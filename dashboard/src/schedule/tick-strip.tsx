/** The last ticks of a schedule in a row, the newest at the right: a mark for each, told apart by shape and color. */
import type { ScheduleTick } from "../../../sdk/src/answers/schedule.ts";
import { outcomeOf, type TickOutcome, ticksText } from "./past-ticks.ts";

export function TickStrip({ ticks }: { readonly ticks: readonly ScheduleTick[] }) {
  const text = ticksText(ticks);
  return (
    <span class="ticks" role="img" aria-label={text} title={text}>
      {ticks.toReversed().map((tick, index) => (
        <i key={index} class={MARKS[outcomeOf(tick)]} />
      ))}
    </span>
  );
}

const MARKS: Readonly<Record<TickOutcome, string>> = {
  delivered: "",
  failed: "f",
  "under way": "l",
  skipped: "k",
  gone: "g",
};
