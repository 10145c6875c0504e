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
    scales: {
      x: { range: withNewestStep },
      y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 10] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 26,
        gap: 6,
        space: 48,
        values: (plot, splits) =>
          splits.map((at) => (plot.valToPos(at, "x") < HALF_TIME_PX ? "" : timeText(at, plot))),
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
  const steps = uPlot.paths.stepped?.({ align: 1, extend: true });
  const stepped = { ...common, ...(steps === undefined ? {} : { paths: steps }) };
  if (kind === "area") return { ...stepped, fill: withAlpha(stroke, 0.16) };
  if (kind === "hatched") return { ...stepped, stroke: colorOf("line-2"), fill: hatch(stroke) };
  const points = { show: true, size: 5, width: 0, fill: stroke, filter: alone };
  if (kind === "dashed") return { ...common, points, dash: [4, 3] };
  if (kind === "line") return { ...common, points };
  const paths = uPlot.paths.bars?.({ size: [0.8, 40], align: 1 });
  return { ...common, width: 0, fill: stroke, ...(paths === undefined ? {} : { paths }) };
}

/** The newest step begins at the last instant, and is drawn whole. */
function withNewestStep(plot: uPlot): uPlot.Range.MinMax {
  const times = plot.data[0];
  const first = times[0] ?? 0;
  const last = times.at(-1) ?? first;
  return [first, last + (last - (times.at(-2) ?? last - 60))];
}

/** Values without a neighbor, of which no line can be drawn. */
function alone(plot: uPlot, index: number): number[] {
  const values = plot.data[index] ?? [];
  const isHere = (at: number): boolean => typeof values[at] === "number";
  return [...values.keys()].filter((at) => isHere(at) && !isHere(at - 1) && !isHere(at + 1));
}

/** Lines across an area, on the ground of the card, so that what is drawn below does not shine through. */
function hatch(color: string): CanvasPattern | string {
  const side = 6 * window.devicePixelRatio;
  const tile = document.createElement("canvas");
  tile.width = tile.height = side;
  const pen = tile.getContext("2d");
  if (pen === null) return color;
  pen.fillStyle = colorOf("surface");
  pen.fillRect(0, 0, side, side);
  pen.strokeStyle = color;
  pen.lineWidth = window.devicePixelRatio;
  for (const shift of [-side, 0, side]) {
    pen.moveTo(shift, side);
    pen.lineTo(shift + side, 0);
  }
  pen.stroke();
  return pen.createPattern(tile, "repeat") ?? color;
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

/** Nearer to the left edge a text in the middle below its instant would be cut. */
const HALF_TIME_PX = 18;
/** Counts and milliseconds are whole. */
const INCREMENTS = Array.from({ length: 9 }, (_, power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power),
).flat();
