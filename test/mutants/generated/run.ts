import { hunt } from "./hunt.ts";
import { recordReach } from "./reach.ts";

export interface GeneratedArguments {
  readonly files: readonly string[];
  readonly seed: string;
  readonly count: string;
  readonly minutes: string;
  readonly workers: string;
  readonly "per-file": string;
  readonly tests: readonly string[];
}

/** Demands that a test notices each defect of the sample, or that a row says why none can. */
export async function runGenerated(args: GeneratedArguments): Promise<boolean> {
  const reach = await recordReach(Number(args.workers), args.tests);
  const { tried, isCutShort, listed, survivors, secondsEach } = await hunt(reach, {
    files: args.files,
    seed: Number(args.seed),
    count: Number(args.count),
    minutes: Number(args.minutes),
    workers: Number(args.workers),
    perFile: args["per-file"] === "" ? Infinity : Number(args["per-file"]),
  });
  const caught = tried - listed - survivors.length;
  console.log(`${secondsEach.toFixed(1)} s each`);
  if (isCutShort) console.log(`stopped after ${args.minutes} minutes, before all were tried`);
  console.log(
    `caught ${caught} of ${tried} generated defects, seed ${args.seed}; ${listed} are on record as changing nothing, ${survivors.length} survived`,
  );
  return tried > 0 && !isCutShort && survivors.length === 0;
}
