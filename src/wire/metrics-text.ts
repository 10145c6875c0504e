/** A number with the labels that tell it from others of its metric. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge";
  readonly samples: readonly Sample[];
}

/** Counts by upper bound, each without those of smaller bounds; the last count has no bound. */
export interface Histogram {
  readonly name: string;
  readonly help: string;
  readonly type: "histogram";
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
}

export const METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** The text that Prometheus reads. */
export function metricsText(metrics: readonly (Metric | Histogram)[]): string {
  return metrics
    .map(
      (metric) =>
        headOf(metric) +
        linesOf(metric)
          .map((text) => `${text}\n`)
          .join(""),
    )
    .join("");
}

function headOf({ name, help, type }: Metric | Histogram): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function linesOf(metric: Metric | Histogram): string[] {
  if (metric.type === "histogram") return histogramLines(metric);
  return metric.samples.map(({ labels, value }) => line(metric.name, labels, value));
}

function histogramLines({ name, bounds, counts, sum }: Histogram): string[] {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return line(`${name}_bucket`, { le: String(bounds[index] ?? "+Inf") }, total);
  });
  return [...buckets, line(`${name}_sum`, {}, sum), line(`${name}_count`, {}, total)];
}

function line(name: string, labels: Sample["labels"] = {}, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
