import { DURATION_BOUNDS_MS, type Stats } from "../core/model/account/stats.ts";
import type { Counts } from "../store/reader/upkeep.ts";
import type { Histogram, Metric, Sample } from "../wire/metrics-text.ts";
import type { Context } from "./context.ts";
import { listNodes } from "./account/service.ts";
import { ExpiringCache } from "./expiring-cache.ts";

export interface ProcessFacts {
  readonly version: string;
  readonly refusals: ReadonlyMap<string, number>;
  readonly residentBytes: number;
  readonly cpuSeconds: number;
  readonly startedAtSeconds: number;
}

/** Gathers what is shown to monitoring: of this node, and of the store that it shares. */
export class ServiceMetrics {
  readonly #context: Context;
  /** Counting a large backlog takes a while, and many may ask. */
  readonly #backlog: ExpiringCache<Counts>;

  constructor(context: Context) {
    this.#context = context;
    this.#backlog = new ExpiringCache({
      clock: context.clock,
      keepMs: BACKLOG_KEEP_MS,
      countMax: 1,
      load: () => context.store.reader.upkeep.counts(),
    });
  }

  async read(facts: ProcessFacts): Promise<(Metric | Histogram)[]> {
    const { store } = this.#context;
    const [totals, backlog, nodes, { usedBytes }] = await Promise.all([
      store.totals(),
      this.#backlog.get("all"),
      listNodes(store),
      store.reader.upkeep.size(),
    ]);
    return [
      ...ofTotals(totals),
      metric("postrider_messages", "Messages in the store that have not ended, of all nodes.", [
        [{ state: "waiting" }, backlog?.waiting ?? 0],
        [{ state: "active" }, backlog?.active ?? 0],
      ]),
      ...this.#ofNode(facts),
      metric(
        "postrider_node_heartbeat_age_seconds",
        "How long ago each known node last renewed its row.",
        nodes.map(({ name, nodeId, silentMs }) => [{ node: name, id: nodeId }, silentMs / 1_000]),
      ),
      metric(
        "postrider_node_lost",
        "1 for 15 minutes after this node took over the messages of a silent node.",
        this.#context.lostNodes().map(({ name, nodeId }) => [{ node: name, id: nodeId }, 1]),
      ),
      ...(usedBytes === null
        ? []
        : [metric("postrider_store_used_bytes", "Bytes in use in the database file.", usedBytes)]),
    ];
  }

  #ofNode(facts: ProcessFacts): Metric[] {
    const { nodeName, store, isDiskLow, isStandbyMissing, nodeLoad } = this.#context;
    const { slotsUsed, slotsMax } = nodeLoad();
    const { version, residentBytes, cpuSeconds, startedAtSeconds } = facts;
    const diskLow = Number(isDiskLow() || store.isDiskFull);
    const refusals = [...facts.refusals].map(([code, count]) => [{ code }, count] as const);
    return [
      metric("postrider_slots_used", "Messages that this node handles now.", slotsUsed),
      metric("postrider_slots_max", "Messages that this node handles at once at most.", slotsMax),
      metric("postrider_disk_low", "1 while publishes are refused for want of disk.", diskLow),
      metric("postrider_refusals_total", "Requests that this node refused, by code.", refusals),
      metric(
        "postrider_standby_missing",
        "1 while publishes are refused for want of a synchronous standby.",
        Number(isStandbyMissing()),
      ),
      metric("postrider_info", "The name and version of this node.", [
        [{ node: nodeName, version }, 1],
      ]),
      metric("process_resident_memory_bytes", "Memory of the process in bytes.", residentBytes),
      metric("process_cpu_seconds_total", "Processor time of the process in seconds.", cpuSeconds),
      metric(
        "process_start_time_seconds",
        "When the process started, in Unix seconds.",
        startedAtSeconds,
      ),
    ];
  }
}

/** What this node did since its start. */
function ofTotals(totals: Stats): (Metric | Histogram)[] {
  const { published, delivered, deadLettered, canceled, attempts, failedAttempts } = totals;
  return [
    metric("postrider_messages_published_total", "Messages that this node stored.", published),
    metric("postrider_messages_delivered_total", "Messages delivered by this node.", delivered),
    metric(
      "postrider_messages_dead_lettered_total",
      "Messages of this node that failed for good.",
      deadLettered,
    ),
    metric("postrider_messages_canceled_total", "Messages canceled on this node.", canceled),
    metric("postrider_attempts_total", "Attempts of this node that ended.", [
      [{ outcome: "delivered" }, attempts - failedAttempts],
      [{ outcome: "failed" }, failedAttempts],
    ]),
    {
      name: "postrider_attempt_duration_seconds",
      help: "How long the attempts of this node took.",
      type: "histogram",
      bounds: DURATION_BOUNDS_MS.map((boundMs) => boundMs / 1_000),
      counts: totals.durations,
      sum: totals.durationMs / 1_000,
    },
  ];
}

/** The name says the type, as is the custom: only that of a counter ends in `_total`. */
function metric(
  name: string,
  help: string,
  value: number | readonly (readonly [labels: NonNullable<Sample["labels"]>, value: number])[],
): Metric {
  const samples =
    typeof value === "number"
      ? [{ value }]
      : value.map(([labels, one]) => ({ labels, value: one }));
  return { name, help, type: name.endsWith("_total") ? "counter" : "gauge", samples };
}

const BACKLOG_KEEP_MS = 10_000;
