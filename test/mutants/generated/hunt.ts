import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { Workshop } from "../workshop.ts";
import type { Mutation } from "./mutations.ts";
import type { Reach, ReachingTest } from "./reach.ts";
import { shuffled } from "./sample.ts";
import { mutated, SourceProgram } from "./source-program.ts";
import { described, isListed, type Survivor } from "./survivor.ts";
import { SURVIVORS } from "./survivors.ts";

export interface HuntOptions {
  readonly files: readonly string[];
  readonly seed: number;
  /** How many are tried, the same ones on every machine. */
  readonly count: number;
  /** A run that takes longer ends before all of them were tried. */
  readonly minutes: number;
  readonly workers: number;
  /** At most so many of each file. */
  readonly perFile: number;
}

export interface HuntReport {
  readonly tried: number;
  /** The time was up before the sample was. */
  readonly isCutShort: boolean;
  readonly listed: number;
  readonly survivors: readonly Omit<Survivor, "reason">[];
  readonly secondsEach: number;
}

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Test files of one defect, those that are likely to notice first. A limit of time would differ by machine. */
const TESTS_MAX = 40;
/** A defect may make a test wait for what never comes. */
const SLOWER_TIMES = 10;
const TIMEOUT_MS_MIN = 15_000;

/** Tries a sample of generated defects, each with the tests that run the changed code. */
export async function hunt(reach: Reach, options: HuntOptions): Promise<HuntReport> {
  const program = new SourceProgram();
  try {
    const sample = sampleOf(program, options);
    return await new Hunt(program, reach, sample, options).run();
  } finally {
    program.close();
  }
}

interface Candidate {
  readonly file: string;
  readonly text: string;
  readonly mutation: Mutation;
}

function sampleOf(program: SourceProgram, { files, seed, perFile }: HuntOptions): Candidate[] {
  const sources = globSync([...files], { cwd: ROOT })
    .filter((file) => file.endsWith(".ts") && !/\.(test|d)\.ts$/.test(file))
    .toSorted();
  const all = sources.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    return program.mutations(file).map((mutation) => ({ file, text, mutation }));
  });
  const counts = new Map<string, number>();
  const inOrder = shuffled(all, seed, ({ file, text, mutation }) =>
    JSON.stringify(described(file, text, mutation)),
  );
  return inOrder.filter(({ file, text, mutation }) => {
    if (perFile === Infinity) return true;
    const count = counts.get(file) ?? 0;
    if (count >= perFile || !program.compiles(file, mutated(text, mutation))) return false;
    counts.set(file, count + 1);
    return true;
  });
}

class Hunt {
  readonly #program: SourceProgram;
  readonly #reach: Reach;
  readonly #waiting: Iterator<Candidate>;
  readonly #options: HuntOptions;
  readonly #survivors: Omit<Survivor, "reason">[] = [];
  readonly #until: number;
  #taken = 0;
  #tried = 0;
  #listed = 0;
  #busyMs = 0;
  #isCutShort = false;

  constructor(
    program: SourceProgram,
    reach: Reach,
    sample: readonly Candidate[],
    options: HuntOptions,
  ) {
    this.#program = program;
    this.#reach = reach;
    this.#waiting = sample.values();
    this.#options = options;
    this.#until = performance.now() + options.minutes * 60_000;
  }

  async run(): Promise<HuntReport> {
    await Promise.all(Array.from({ length: this.#options.workers }, () => this.#work()));
    const secondsEach = this.#busyMs / 1_000 / Math.max(1, this.#tried);
    return {
      tried: this.#tried,
      isCutShort: this.#isCutShort,
      listed: this.#listed,
      survivors: this.#survivors,
      secondsEach,
    };
  }

  async #work(): Promise<void> {
    const workshop = new Workshop();
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) {
        await this.#try(next, workshop);
      }
    } finally {
      workshop.close();
    }
  }

  /** The next one that the types let pass; they count, so that the sample is the same whoever asks first. */
  #next(): Candidate | undefined {
    while (this.#taken < this.#options.count) {
      const { value, done } = this.#waiting.next();
      if (done === true) return undefined;
      if (!this.#program.compiles(value.file, mutated(value.text, value.mutation))) continue;
      if (performance.now() >= this.#until) {
        this.#isCutShort = true;
        return undefined;
      }
      this.#taken += 1;
      return value;
    }
    return undefined;
  }

  async #try({ file, text, mutation }: Candidate, workshop: Workshop): Promise<void> {
    const survivor = described(file, text, mutation);
    this.#tried += 1;
    if (isListed(SURVIVORS, survivor)) {
      this.#listed += 1;
      return;
    }
    const startedAt = performance.now();
    const changed = mutated(text, mutation);
    const tests = nearest(this.#reach.testsOf(file, text, mutation.start));
    let noticed = await workshop.noticed(file, changed, tests);
    if (noticed === undefined && !this.#program.compilesEverywhere(file, changed)) {
      noticed = "the types of another file";
    }
    this.#busyMs += performance.now() - startedAt;
    if (noticed !== undefined) return console.log(`caught    ${file} by ${noticed}`);
    this.#survivors.push(survivor);
    const line = text.slice(0, mutation.start).split("\n").length;
    const { lines, become } = survivor;
    console.log(
      `SURVIVED  ${file}:${line} (${tests.length} test files)\n  - ${lines}\n  + ${become}`,
    );
  }
}

/** The first of them, and how long to wait for each. */
function nearest(tests: readonly ReachingTest[]): { test: string; timeoutMs: number }[] {
  return tests.slice(0, TESTS_MAX).map(({ test, durationMs }) => ({
    test,
    timeoutMs: Math.max(TIMEOUT_MS_MIN, durationMs * SLOWER_TIMES),
  }));
}
