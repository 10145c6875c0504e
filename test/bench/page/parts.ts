const BESIDE_FLOOR = [
  "Subject",
  "msg/s",
  "of floor",
  "CPU µs/msg",
  "of floor",
  "main",
  "writer",
  "others",
  "database server µs/msg",
  "publish p50 ms",
  "p99 ms",
  "RSS MB",
] as const;

/** The parts of docs/internals/benchmarks.md that the command writes; everything else is prose. */
export const PARTS = {
  messages: { title: "Messages a second", heading: BESIDE_FLOOR },
  peers: { title: "Messages a second, beside peers", heading: BESIDE_FLOOR },
  growth: {
    title: "Processor time a message, as a multiple of the base",
    heading: [
      "Store",
      "Load",
      "msg/s",
      "of base",
      "CPU µs/msg",
      "of base",
      "main",
      "writer",
      "others",
      "database server",
      "publish p99 ms",
      "of base",
    ],
  },
  idle: {
    title: "Publish to arrival with nothing else to do, p50 in ms",
    heading: [
      "Store",
      "publish to acknowledgment p50 ms",
      "p99 ms",
      "publish to arrival p50 ms",
      "p99 ms",
    ],
  },
  batches: {
    title: "Messages accepted a second",
    heading: ["Store", "Requests", "msg/s", "Ratio", "CPU µs/msg"],
  },
  neighbors: {
    title: "Another account's publish p95 under load, as a multiple of calm",
    heading: [
      "Store",
      "One account's load",
      "publish p95 ms, calm",
      "under load",
      "times",
      "arrival p95 ms, calm",
      "under load",
      "times",
      "main thread p95 ms, calm",
      "under load",
      "times",
      "refused",
      "RSS MB",
    ],
  },
  workflows: {
    title: "Runs of five steps a second",
    heading: [
      "Service and endpoint",
      "runs/s",
      "of Restate",
      "CPU µs/run, service",
      "endpoint",
      "between steps p50 ms",
      "p99 ms",
      "RSS MB",
    ],
  },
} as const;

export type PartName = keyof typeof PARTS;
export const PART_NAMES = Object.keys(PARTS) as PartName[];

export interface Row {
  readonly cells: readonly string[];
  /** What the plot shows of it; a row without one is in the table only. */
  readonly bar?: Bar;
}

export interface Bar {
  readonly name: string;
  readonly value: number;
}

/** What was measured in one call of the command. */
export class Findings {
  readonly #rows = new Map<PartName, Row[]>();
  readonly #notes = new Map<PartName, string[]>();

  add(part: PartName, row: Row): void {
    const wanted = PARTS[part].heading.length;
    if (row.cells.length !== wanted) throw new Error(`a row of ${part} has ${wanted} cells`);
    this.#rows.set(part, [...this.rows(part), row]);
  }

  /** A sentence below the table, such as what could not be measured here. */
  note(part: PartName, text: string): void {
    this.#notes.set(part, [...this.notes(part), text]);
  }

  rows(part: PartName): readonly Row[] {
    return this.#rows.get(part) ?? [];
  }

  notes(part: PartName): readonly string[] {
    return this.#notes.get(part) ?? [];
  }

  /** Those with at least one row. */
  parts(): PartName[] {
    return [...this.#rows.keys()];
  }
}
