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

const GROWTH = [
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
] as const;

/** The parts of docs/internals/benchmarks.md that are made from results; everything else is prose. */
export const PARTS = {
  messages: { title: "Messages a second", heading: BESIDE_FLOOR },
  peers: { title: "Messages a second, beside peers", heading: BESIDE_FLOOR },
  growth: {
    title: "Processor time a message, as a multiple of the base",
    heading: GROWTH,
  },
  waiting: {
    title: "Processor time a message beside waiting ones, as a multiple of an empty store",
    heading: GROWTH,
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
  ids: {
    title: "Processor time of accepting a message with an id of its own, beside one without",
    heading: ["Store", "Messages", "msg/s", "Ratio", "CPU µs/msg", "Ratio"],
  },
  sleeping: {
    title: "What resting runs cost",
    heading: ["Store", "Processor time in a minute, ms", "Memory, MB"],
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
  nodes: {
    title: "Several nodes on one PostgreSQL",
    heading: [
      "Load",
      "Nodes",
      "a second",
      "nodes µs",
      "of one node",
      "server µs",
      "of one node",
      "round trips for 1,000",
      "statements",
      "transactions",
      "WAL syncs",
      "WAL kB",
      "waiting for locks",
      "for latches",
      "publish p50 ms",
      "p99 ms",
      "least of most loaded node",
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
  screens: {
    title: "What the screens of the dashboard load",
    heading: ["Screen", "Requests", "kB received", "kB of bodies"],
  },
} as const;

export type PartName = keyof typeof PARTS;
export const PART_NAMES = Object.keys(PARTS) as PartName[];
