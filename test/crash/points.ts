import type { Sdk } from "./endpoint-process.ts";
import type { Stage } from "./stage.ts";

export interface Walked {
  /** Points at which a process died, each in a run that ended as it should. */
  readonly points: number;
  /** Points that some run had, and that no run reached when a process was to die there. */
  readonly unmet: number;
}

/** What a proof of deaths has come to. */
export interface Deaths extends Walked {
  /** Steps whose code ran again, since their results were lost. */
  readonly repeated: number;
  /** How often the event of a wait came before its deadline, where the two were let race. */
  readonly told: number;
  readonly timedOut: number;
}

/** A service that is made to die. */
export interface CrashedService {
  readonly stage: Stage;
  /** How many points the last run had that was played there, if no process died in it. */
  readonly met: number;
}

/**
 * Plays with a death at the first point, the second and so on, up to the last that any run had in
 * which no process died. Runs differ by some points, so one that a run did not reach is tried
 * again. The workers share the points among them.
 */
export async function walk<Subject extends Pick<CrashedService, "met">>(
  services: readonly Subject[],
  play: (service: Subject, at: number) => Promise<number>,
): Promise<Walked> {
  let last = 0;
  const dies = async (service: Subject, point: number): Promise<boolean> => {
    if ((await play(service, point)) > 0) return true;
    last = Math.max(last, service.met);
    return false;
  };
  const diesAtLast = async (service: Subject, point: number): Promise<boolean> => {
    for (let tries = 0; tries < TRIES_MAX; tries++) if (await dies(service, point)) return true;
    return false;
  };
  const count = async (service: Subject): Promise<void> => {
    for (let run = 0; run < COUNTED_RUNS; run++) await dies(service, NEVER);
  };
  await Promise.all(services.map(count));
  let [point, reached] = [0, 0];
  const share = async (service: Subject): Promise<void> => {
    while (point < last) if (await diesAtLast(service, ++point)) reached += 1;
  };
  await Promise.all(services.map(share));
  return { points: reached, unmet: last - reached };
}

/** Says where it was that something went wrong. */
export async function at<Result>(
  point: Readonly<Record<string, string | number>> & { readonly sdk: Sdk },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`at ${JSON.stringify(point)}: ${String(error)}`, { cause: error });
  }
}

/** What some walks over the same services found. */
export function deathsOn(services: readonly CrashedService[], walks: readonly Walked[]): Deaths {
  return {
    points: sum(walks, ({ points }) => points),
    unmet: sum(walks, ({ unmet }) => unmet),
    repeated: sum(services, ({ stage }) => stage.outside.repeated),
    told: sum(services, ({ stage }) => stage.races.told),
    timedOut: sum(services, ({ stage }) => stage.races["timed-out"]),
  };
}

function sum<Item>(items: readonly Item[], count: (item: Item) => number): number {
  return items.reduce((total, item) => total + count(item), 0);
}

const NEVER = Infinity;
/** For each service, before the walk. */
const COUNTED_RUNS = 5;
const TRIES_MAX = 5;
