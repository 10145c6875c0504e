/** A small line or bars without axes. */
interface SparkProps {
  readonly values: readonly number[];
  readonly kind?: "line" | "bars";
  readonly isBad?: boolean;
  readonly label?: string;
}

export function Spark({ values, kind = "line", isBad = false, label }: SparkProps) {
  const max = Math.max(1, ...values);
  const step = 96 / Math.max(1, values.length - (kind === "line" ? 1 : 0));
  const heightOf = (value: number): number => (value / max) * 20;
  const path =
    kind === "line"
      ? values
          .map(
            (value, at) =>
              `${at === 0 ? "M" : "L"}${(at * step).toFixed(1)} ${(21 - heightOf(value)).toFixed(1)}`,
          )
          .join("")
      : values
          .map(
            (value, at) =>
              `M${(at * step).toFixed(1)} 21v${(-heightOf(value)).toFixed(1)}h${(step * 0.8).toFixed(1)}V21z`,
          )
          .join("");
  return (
    <svg
      class="spark"
      viewBox="0 0 96 22"
      preserveAspectRatio="none"
      role={label === undefined ? undefined : "img"}
      aria-label={label}
      aria-hidden={label === undefined}
    >
      {kind === "bars" ? <path class="base" d="M0 21.5H96" /> : null}
      <path class={kind === "bars" ? "bars" : isBad ? "bad" : undefined} d={path} />
    </svg>
  );
}
