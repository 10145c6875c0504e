/** How long ago, or how long until, with the full instant in the tooltip. One timer moves them all. */
import { useMemo } from "preact/hooks";
import { moment, second } from "../app/clock.ts";
import { instantText, roughText } from "../app/format.ts";

interface TimeProps {
  readonly at: number;
  /** `3 min` in a column whose head says what it is; `3 min ago` in a sentence. */
  readonly form?: "short" | "sentence";
}

export function Time({ at, form = "short" }: TimeProps) {
  const isYoung = Math.abs(second.peek() - at) < 60_000;
  const now = isYoung ? second.value : moment.value;
  const title = useMemo(() => instantText(at), [at]);
  return (
    <time dateTime={new Date(at).toISOString()} title={title}>
      {textOf(at - now, form)}
    </time>
  );
}

function textOf(untilMs: number, form: "short" | "sentence"): string {
  // The clocks of server and reader may differ by as much.
  if (untilMs < 2_500 && untilMs > -1_000) return "now";
  const text = roughText(Math.abs(untilMs));
  if (form === "short") return untilMs > 0 ? `in ${text}` : text;
  return untilMs > 0 ? `in ${text}` : `${text} ago`;
}
