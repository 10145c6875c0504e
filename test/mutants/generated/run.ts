import { hunt } from "./hunt.ts";
import { recordReach } from "./reach.ts";

export interface GeneratedArguments {
  readonly files: readonly string[];
  readonly seed: string;
  readonly minutes: string;
  readonly workers: string;
  readonly "per-file": string;
}

/** Demands that a test notices each defect of the sample, or that a row says why none can. */
export async function runGenerated(args: GeneratedArguments): Promise<boolean> {
  const reach = await recordReach(Number(args.workers));
  const { tried, listed, survivors, secondsEach } = await hunt(reach, {
    files: args.files,
    seed: Number(args.seed),
    minutes: Number(args.minutes),
    workers: Number(args.workers),
    perFile: args["per-file"] === "" ? Infinity : Number(args["per-file"]),
  });
  const caught = tried - listed - survivors.length;
  console.log(
    `caught ${caught} of ${tried} generated defects, seed ${args.seed}, ${secondsEach.toFixed(1)} s each; ${listed} survived for a reason on record, ${survivors.length} without one`,
  );
  return tried > 0 && survivors.length === 0;
}
