/** A series over time. The sentence is its label, the table its other form. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { serverNow } from "../app/clock.ts";
import { clockText } from "../app/format.ts";
import { theme } from "../app/theme.ts";
import type { ChartSeries } from "./chart-series.ts";
import { plotOptions } from "./plot-options.ts";
import { Button } from "./button.tsx";

export interface ChartProps {
  readonly title: string;
  readonly figure: string;
  readonly detail: ComponentChildren;
  /** What a reader who cannot see the lines should know. */
  readonly sentence: string;
  /** The instants of the values, in milliseconds. */
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly format: (value: number) => string;
  readonly isLoading: boolean;
  readonly problem: string | null;
  /** Says that nothing happened: "No attempts in this hour". */
  readonly empty: string;
  readonly onRetry: () => void;
}

export function Chart(props: ChartProps) {
  const [isTable, setTable] = useState(false);
  return (
    <article class="card">
      <header>
        <h2>{props.title}</h2>
        <Legend series={props.series} />
      </header>
      <div class="figure">
        <b>{props.figure}</b>
        <span class="soft">{props.detail}</span>
      </div>
      {isTable ? <ChartTable {...props} /> : <Plot {...props} />}
      <div class="chart-foot">
        <Legend series={props.series} />
        <Button isSmall kind="quiet" isPressed={isTable} onPress={() => setTable(!isTable)}>
          {isTable ? "Show as chart" : "Show as table"}
        </Button>
      </div>
    </article>
  );
}

/** In the head, or below where the head is too narrow for it. */
function Legend({ series }: Pick<ChartProps, "series">) {
  return (
    <div class="legend">
      {fromBelow(series).map(({ name, color, kind }) => (
        <span key={name}>
          <i class={`key ${kind === "hatched" ? kind : color.replace("c-", "")}`} />
          {name}
        </span>
      ))}
    </div>
  );
}

/** Bars that stand on others are drawn first, and named last. */
function fromBelow(series: readonly ChartSeries[]): readonly ChartSeries[] {
  return series.every(({ kind }) => kind === "bars") ? series.toReversed() : series;
}

function Plot({ sentence, times, series, format, isLoading, problem, empty, onRetry }: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const look = theme.value;
  const shape = series.map(({ name, kind }) => `${name} ${kind}`).join();
  const plot = useRef<uPlot | null>(null);
  const data = [
    times.map((time) => time / 1_000),
    ...series.map(({ values, drawn }) => [...(drawn ?? values)]),
  ] as uPlot.AlignedData;
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const made = new uPlot(plotOptions(series, format, element.clientWidth, setAt), data, element);
    plot.current = made;
    const resized = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: PLOT_PX }),
    );
    resized.observe(element);
    return () => {
      resized.disconnect();
      made.destroy();
    };
  }, [look, shape]);
  useEffect(() => plot.current?.setData(data), [times, series]);
  const isEmpty = series.every(({ values }) =>
    values.every((value) => value === null || value === 0),
  );
  return (
    <div class="chart" role="img" aria-label={sentence}>
      <div ref={host} />
      {at === null ? null : <span class="chart-at">{valuesAt(at, times, series, format)}</span>}
      {problem === null && !isLoading && isEmpty ? <span class="quiet">{empty}</span> : null}
      {problem === null ? null : (
        <span class="quiet">
          <Button isSmall onPress={onRetry}>
            Cannot load, try again
          </Button>
        </span>
      )}
    </div>
  );
}

function valuesAt(
  at: number,
  times: ChartProps["times"],
  series: readonly ChartSeries[],
  format: ChartProps["format"],
): string {
  const time = times[at];
  if (time === undefined) return "";
  const shown = series.map(({ name, values }) => `${name} ${valueText(values[at], format)}`);
  return [clockText(time, serverNow()).replace(/:00$/, ""), ...shown].join(" · ");
}

function valueText(value: number | null | undefined, format: ChartProps["format"]): string {
  return value === null || value === undefined ? "–" : format(value);
}

function ChartTable({ title, times, series, format }: ChartProps) {
  const now = serverNow();
  const order = times.map((time, index) => ({ time, index })).toReversed();
  return (
    <div class="chart-table" tabIndex={0} role="region" aria-label={`${title}, as a table`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ name }) => (
              <th scope="col" class="r" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {order.map(({ time, index }) => (
            <tr key={time}>
              <td>{clockText(time, now)}</td>
              {series.map(({ name, values }) => (
                <td class="r" key={name}>
                  {valueText(values[index], format)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const PLOT_PX = 160;
