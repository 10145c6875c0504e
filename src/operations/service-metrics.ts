import { DURATION_BOUNDS_MS, type Stats } from "../core/model/account/stats.ts";
import type { Counts } from "../store/reader/upkeep.ts";
import type { Histogram, Metric, Sample } from "../wire/metrics-text.ts";
import type { Context } from "./context.ts";
import { listNodes } from "./account/service.ts";
import { ExpiringCache } from "./expiring-cache.ts";

/** What the process knows of itself. */
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
    const [totals, backlog, nodes, size] = await Promise.all([
      store.totals(),
      this.#backlog.get("all"),
      listNodes(store),
      store.reader.upkeep.size(),
    ]);
    return [
      ...ofTotals(totals),
      several(
        "postrider_messages",
        "Messages in the store that have not ended, of all nodes.",
        "gauge",
        [
          [{ state: "waiting" }, backlog?.waiting ?? 0],
          [{ state: "active" }, backlog?.active ?? 0],
        ],
      ),
      ...this.#ofNode(facts),
      several(
        "postrider_node_heartbeat_age_seconds",
        "How long ago each known node last renewed its row.",
        "gauge",
        nodes.map(({ name, nodeId, silentMs }) => [{ node: name, id: nodeId }, silentMs / 1_000]),
      ),
      several(
        "postrider_node_lost",
        "1 for 15 minutes after this node took over the messages of a silent node.",
        "gauge",
        this.#context.lostNodes().map(({ name, nodeId }) => [{ node: name, id: nodeId }, 1]),
      ),
      ...(size.usedBytes === null
        ? []
        : [
            gauge(
              "postrider_store_used_bytes",
              "Bytes in use in the database file.",
              size.usedBytes,
            ),
          ]),
    ];
  }

  #ofNode(facts: ProcessFacts): Metric[] {
    const { slotsUsed, slotsMax } = this.#context.nodeLoad();
    return [
      gauge("postrider_slots_used", "Messages that this node handles now.", slotsUsed),
      gauge("postrider_slots_max", "Messages that this node handles at once at most.", slotsMax),
      gauge(
        "postrider_disk_low",
        "1 while publishes are refused for want of disk.",
        this.#diskLow(),
      ),
      several(
        "postrider_refusals_total",
        "Requests that this node refused, by code.",
        "counter",
        [...facts.refusals].map(([code, count]) => [{ code }, count]),
      ),
      gauge(
        "postrider_standby_missing",
        "1 while publishes are refused for want of a synchronous standby.",
        Number(this.#context.isStandbyMissing()),
      ),
      several("postrider_info", "The name and version of this node.", "gauge", [
        [{ node: this.#context.nodeName, version: facts.version }, 1],
      ]),
      gauge(
        "process_resident_memory_bytes",
        "Memory of the process in bytes.",
        facts.residentBytes,
      ),
      counter(
        "process_cpu_seconds_total",
        "Processor time of the process in seconds.",
        facts.cpuSeconds,
      ),
      gauge(
        "process_start_time_seconds",
        "When the process started, in Unix seconds.",
        facts.startedAtSeconds,
      ),
    ];
  }

  #diskLow(): number {
    return Number(this.#context.isDiskLow() || this.#context.store.isDiskFull);
  }
}

/** What this node did since its start. */
function ofTotals(totals: Stats): (Metric | Histogram)[] {
  return [
    counter(
      "postrider_messages_published_total",
      "Messages that this node stored.",
      totals.published,
    ),
    counter(
      "postrider_messages_delivered_total",
      "Messages delivered by this node.",
      totals.delivered,
    ),
    counter(
      "postrider_messages_dead_lettered_total",
      "Messages of this node that failed for good.",
      totals.deadLettered,
    ),
    counter(
      "postrider_messages_canceled_total",
      "Messages canceled on this node.",
      totals.canceled,
    ),
    several("postrider_attempts_total", "Attempts of this node that ended.", "counter", [
      [{ outcome: "delivered" }, totals.attempts - totals.failedAttempts],
      [{ outcome: "failed" }, totals.failedAttempts],
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

function counter(name: string, help: string, value: number): Metric {
  return several(name, help, "counter", [[{}, value]]);
}

function gauge(name: string, help: string, value: number): Metric {
  return several(name, help, "gauge", [[{}, value]]);
}

function several(
  name: string,
  help: string,
  type: Metric["type"],
  samples: readonly (readonly [labels: NonNullable<Sample["labels"]>, value: number])[],
): Metric {
  return {
    name,
    help,
    type,
    samples: samples.map(([labels, value]) => ({ labels, value })),
  };
}

const BACKLOG_KEEP_MS = 10_000;
