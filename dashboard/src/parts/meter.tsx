/** How much of a limit is used: `n of m`. Bars are SVG with shares as widths, so that no style is needed. */
import { countText } from "../app/format.ts";

export type MeterFill = "live" | "ok" | "err" | "warnf" | "holdf" | "idle" | "hatch";

interface MeterProps {
  readonly used: number;
  /** Null is no limit. */
  readonly max: number | null;
  /** The limit holds messages back. */
  readonly isHolding?: boolean;
  /** A quota that warns from 80 %. */
  readonly isQuota?: boolean;
}

export function Meter({ used, max, isHolding = false, isQuota = false }: MeterProps) {
  if (max === null) return <span class="muted">no limit</span>;
  const share = max === 0 ? 0 : Math.min(1, used / max);
  const fill: MeterFill = isHolding ? "holdf" : isQuota && share >= 0.8 ? "warnf" : "live";
  return <Bar share={share} fill={fill} label={`${countText(used)} of ${countText(max)}`} />;
}

export function Bar({
  share,
  fill,
  label,
}: {
  readonly share: number;
  readonly fill: MeterFill;
  readonly label?: string;
}) {
  return (
    <svg
      class="meter"
      role={label === undefined ? undefined : "img"}
      aria-label={label}
      aria-hidden={label === undefined ? "true" : undefined}
    >
      <rect class={fill} width={percent(share)} height="100%" />
    </svg>
  );
}

export interface StackPart {
  readonly name: string;
  readonly share: number;
  readonly fill: MeterFill;
}

/** Parts of a whole, side by side. */
export function StackedBar({ parts }: { readonly parts: readonly StackPart[] }) {
  const label = parts.map(({ name, share }) => `${name} ${Math.round(share * 100)} %`).join(", ");
  let start = 0;
  return (
    <svg class="meter tall" role="img" aria-label={label}>
      {parts.map(({ name, share, fill }) => {
        const x = start;
        start += share;
        return <rect key={name} class={fill} x={percent(x)} width={percent(share)} height="12" />;
      })}
    </svg>
  );
}

function percent(share: number): string {
  return `${Math.round(share * 1_000) / 10}%`;
}
