import type { Sdk } from "./endpoint-process.ts";
import type { Stage } from "./stage.ts";

/** What a proof of deaths has come to. */
export interface Deaths {
  /** Points at which somebody died, each in a run that ended as it should. */
  readonly points: number;
  /** Steps whose code ran again, since their results were lost. */
  readonly repeated: number;
  /** How often the event of a wait came before its deadline, where the two were let race. */
  readonly told: number;
  readonly timedOut: number;
}

/**
 * Plays with a death at the first point, the second and so on, as far as there are any: a stage has come to the end
 * when nobody dies there any more. The stages share the points among them.
 */
export async function walk<Place>(
  stages: readonly Place[],
  play: (stage: Place, at: number) => Promise<number>,
): Promise<number> {
  const points = await Promise.all(
    stages.map(async (stage, place) => {
      let reached = 0;
      let missed = 0;
      for (let point = place + 1; missed < MISSED_MAX; point += stages.length) {
        const hasDied = (await play(stage, point)) > 0;
        reached += hasDied ? 1 : 0;
        missed = hasDied ? 0 : missed + 1;
      }
      return reached;
    }),
  );
  return points.reduce((sum, reached) => sum + reached, 0);
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

/** What has happened on some stages, at so many points. */
export function deathsOn(places: readonly { readonly stage: Stage }[], points: number): Deaths {
  const sum = (count: (stage: Stage) => number): number =>
    places.reduce((total, { stage }) => total + count(stage), 0);
  return {
    points,
    repeated: sum(({ outside }) => outside.repeated),
    told: sum(({ races }) => races.told),
    timedOut: sum(({ races }) => races["timed-out"]),
  };
}

/** Runs differ by a change or two. */
const MISSED_MAX = 3;
