/** One line or row of bars of a chart. */
export interface ChartSeries {
  readonly name: string;
  readonly color: "c-ok" | "c-bad" | "c-warn" | "c-live" | "c-hold" | "idle";
  readonly kind: SeriesKind;
  readonly values: readonly (number | null)[];
  /** What is drawn, where it is not the values: a bar that stands on another one. */
  readonly drawn?: readonly (number | null)[];
}

/** Solid bars, a line, a dashed line, steps over their area, or steps over a hatched area. */
export type SeriesKind = "bars" | "line" | "dashed" | "area" | "hatched";
