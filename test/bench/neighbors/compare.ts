import { besides, Child } from "../child.ts";
import { accountIdOf, addAccounts, benchToken } from "../fill.ts";
import type { Findings } from "../findings.ts";
import { rssPeakMb } from "../process-stats.ts";
import { startPostgresNode, startSqlite, type Subject } from "../subjects.ts";
import { LOADS, type Load } from "./loads.ts";

/** How long another account's messages take while one account does its worst. */
export const NEIGHBOR_VARIANTS: Readonly<Record<string, readonly Store[]>> = {
  neighbors: ["sqlite", "postgres"],
  "sqlite-neighbors": ["sqlite"],
  "postgres-neighbors": ["postgres"],
};

type Store = "sqlite" | "postgres";

const STARTS = { sqlite: startSqlite, postgres: startPostgresNode };

export interface NeighborPlan {
  readonly durationMs: number;
  readonly rounds: number;
  readonly bodyBytes: number;
  /** Names of loads begin with one of these; all loads when empty. */
  readonly only: readonly string[];
}

interface Times {
  readonly acknowledged: readonly number[];
  readonly arrived: readonly number[];
  /** Of the service's main thread, between a publish and its answer. */
  readonly worked: readonly number[];
  /** Of its writing thread, on SQLite. */
  readonly wrote: readonly number[];
  readonly refused: number;
}

interface Round {
  readonly calm: Times;
  readonly loud: Times;
  readonly rssMb: number;
}

const PERIOD_MS = 10;
const WARM_UP_MS = 3_000;

export async function compareNeighbors(
  variant: string,
  plan: NeighborPlan,
  findings: Findings,
): Promise<void> {
  for (const store of NEIGHBOR_VARIANTS[variant]!) {
    console.log(`${store}, another account, p95 in ms:`);
    for (const load of LOADS) {
      const isWanted = ({ name }: Load): boolean => plan.only.some((only) => name.startsWith(only));
      if (plan.only.length > 0 && !isWanted(load)) continue;
      const rounds: Round[] = [];
      for (let round = 0; round < plan.rounds; round++) {
        rounds.push(await measureRound(store, load, plan));
      }
      report(store, load, rounds, findings);
    }
  }
}

/** A fresh service for each round: what a load leaves behind would be in the next calm. */
async function measureRound(store: Store, load: Load, plan: NeighborPlan): Promise<Round> {
  const subject = await STARTS[store]((filled) => addAccounts(filled, 3));
  const probe = await startProbe(subject, plan);
  const times = async (durationMs: number): Promise<Times> =>
    JSON.parse(await probe.ask(String(durationMs))) as Times;
  try {
    await times(WARM_UP_MS);
    const calm = await times(plan.durationMs);
    const running = await load.start(subject, benchToken(accountIdOf(1)), 10 * plan.durationMs);
    const loud = await times(plan.durationMs);
    const rssMb = rssPeakMb(subject.pid);
    await running.stop();
    return { calm, loud, rssMb };
  } finally {
    await probe.stop();
    await subject.stop();
  }
}

async function startProbe({ port, pid }: Subject, { bodyBytes }: NeighborPlan): Promise<Child> {
  const plan = { port, pid, token: benchToken(accountIdOf(2)), periodMs: PERIOD_MS, bodyBytes };
  const probe = new Child(besides("neighbors/probe.ts"), [JSON.stringify(plan)]);
  await probe.line();
  return probe;
}

function report(store: Store, load: Load, rounds: readonly Round[], findings: Findings): void {
  const all = (of: "calm" | "loud", times: Exclude<keyof Times, "refused">): number =>
    p95(rounds.flatMap((round) => round[of][times]));
  const published = [all("calm", "acknowledged"), all("loud", "acknowledged")] as const;
  const arrived = [all("calm", "arrived"), all("loud", "arrived")] as const;
  const worked = [all("calm", "worked"), all("loud", "worked")] as const;
  const wrote = [all("calm", "wrote"), all("loud", "wrote")] as const;
  const rssMb = Math.max(...rounds.map((round) => round.rssMb));
  const refused = rounds.reduce((sum, { loud }) => sum + loud.refused, 0);
  const cells = [
    store,
    load.name,
    ...[published, arrived, worked].flatMap(([calm, loud]) => [
      calm.toFixed(1),
      loud.toFixed(1),
      (loud / calm).toFixed(1),
    ]),
    String(refused),
    String(rssMb),
  ];
  findings.add("neighbors", {
    cells,
    bar: { name: `${store}, ${load.name}`, value: published[1] / published[0] },
  });
  const [calm, loud] = published;
  console.log(
    `  ${load.name.padEnd(32)} publish ${calm.toFixed(1)} -> ${loud.toFixed(1)} (${(loud / calm).toFixed(1)} times)` +
      `  arrival ${arrived[0].toFixed(1)} -> ${arrived[1].toFixed(1)} (${(arrived[1] / arrived[0]).toFixed(1)} times)` +
      `  main thread ${worked[0].toFixed(1)} -> ${worked[1].toFixed(1)}` +
      `  writer ${wrote[0].toFixed(1)} -> ${wrote[1].toFixed(1)}` +
      `  refused ${refused}  RSS ${rssMb} MB`,
  );
}

function p95(timesMs: readonly number[]): number {
  const sorted = timesMs.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length * 0.95)] ?? 0;
}
