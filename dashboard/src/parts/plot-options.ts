/** How uPlot draws our series: the tokens' colors, axes at the right and below, one hover line for all charts. */
import uPlot from "uplot";
import { colorOf } from "../app/theme.ts";
import type { ChartSeries } from "./chart-series.ts";

export function plotOptions(
  series: readonly ChartSeries[],
  format: (value: number) => string,
  width: number,
  onHover: (index: number | null) => void,
): uPlot.Options {
  const line = colorOf("line");
  const text = colorOf("text-3");
  const axis = {
    stroke: text,
    font: `11px ${getComputedStyle(document.body).fontFamily}`,
    ticks: { show: false },
  };
  return {
    width,
    height: 160,
    padding: [14, 0, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false },
      points: { show: false },
      sync: { key: "time" },
    },
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 10] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 26,
        gap: 6,
        space: 56,
        values: (plot, splits) => splits.map((at) => timeText(at, plot)),
      },
      {
        ...axis,
        side: 1,
        incrs: INCREMENTS,
        size: 56,
        gap: 8,
        space: 44,
        grid: { stroke: line, width: 1 },
        values: (_, splits) => splits.map((value) => format(value)),
      },
    ],
    series: [{}, ...series.map(seriesOptions)],
    hooks: { setCursor: [({ cursor }) => onHover(cursor.idx ?? null)] },
  };
}

function seriesOptions({ name, color, kind }: ChartSeries): uPlot.Series {
  const stroke = colorOf(color);
  const common: uPlot.Series = {
    label: name,
    stroke,
    width: 1.5,
    points: { show: false },
    spanGaps: false,
  };
  if (kind === "dashed") return { ...common, dash: [4, 3] };
  if (kind === "area") return { ...common, fill: withAlpha(stroke, 0.16) };
  if (kind === "line") return { ...common, points: { size: 4, fill: stroke } };
  const paths = uPlot.paths.bars?.({ size: [0.8, 40], align: 1 });
  return { ...common, width: 0, fill: stroke, ...(paths === undefined ? {} : { paths }) };
}

function withAlpha(color: string, alpha: number): string {
  return color.replace(/\)$/, ` / ${alpha})`);
}

/** The time of day, or the day when the axis covers several. */
function timeText(seconds: number, plot: uPlot): string {
  const { min = 0, max = 0 } = plot.scales["x"] ?? {};
  const date = new Date(seconds * 1_000);
  if ((max ?? 0) - (min ?? 0) > 2 * 86_400)
    return date.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  return date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

/** Counts and milliseconds are whole. */
const INCREMENTS = Array.from({ length: 9 }, (_, power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power),
).flat();
