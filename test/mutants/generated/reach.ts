import { createHash } from "node:crypto";
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { runTestFile } from "./run-test-file.ts";

/** Which parts of the source each test file runs, as V8 counted it; kept between runs in .cache. */
export class Reach {
  readonly #byTest: ReadonlyMap<string, Recorded>;

  constructor(byTest: ReadonlyMap<string, Recorded>) {
    this.#byTest = byTest;
  }

  /** Test files that run the code at an offset of a file, those that are likely to notice first. */
  testsOf(file: string, text: string, offset: number): ReachingTest[] {
    const hash = hashOf(text);
    return [...this.#byTest]
      .filter(([, { sources }]) => reaches(sources[file], hash, offset))
      .map(([test, { durationMs }]) => ({ test, durationMs, distance: distance(file, test) }))
      .toSorted((a, b) => a.distance - b.distance || a.durationMs - b.durationMs);
  }
}

export interface ReachingTest {
  readonly test: string;
  readonly durationMs: number;
  readonly distance: number;
}

interface Recorded {
  /** Of the test file; another text is recorded anew. */
  readonly hash: string;
  readonly durationMs: number;
  readonly sources: Readonly<Record<string, RecordedSource>>;
}

interface RecordedSource {
  /** Of the source file; of one that was changed later only that it was loaded is known. */
  readonly hash: string;
  /** Offsets at which code that ran begins and ends, in turns. */
  readonly ran: readonly number[];
}

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const FILE = join(ROOT, ".cache", "mutants-reach.json");
/** Journeys start a whole service each, so they are used only where they are asked for. */
const TESTS = [
  "src/**/*.test.ts",
  "test/dashboard/*.test.ts",
  "test/{contract,rows,simulation}/*.test.ts",
  // Tables are held to the pages and types that are made from them.
  "test/house/{reference,openapi,answer-types}.test.ts",
  "test/docs/receiving.test.ts",
];
/** A test file that takes longer would try too few mutations in a minute. */
const DURATION_MS_MAX = 60_000;

/** Records what is not known yet, a few test files at a time. Files whose tests fail are not used. */
export async function recordReach(workers: number, further: readonly string[]): Promise<Reach> {
  const known = readKnown();
  const tests = globSync([...TESTS, ...further], { cwd: ROOT }).toSorted();
  const waiting = tests.values();
  const recorded = new Map<string, Recorded>();
  const work = async (): Promise<void> => {
    for (const test of waiting) {
      const hash = hashOf(readFileSync(join(ROOT, test), "utf8"));
      const before = known[test];
      const now = before?.hash === hash ? before : await record(test, hash);
      if (now === undefined)
        console.log(`not used, since it fails by itself or takes long: ${test}`);
      else recorded.set(test, now);
      if (now !== before && now !== undefined) write(test, now);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return new Reach(recorded);
}

function readKnown(): Record<string, Recorded> {
  try {
    return JSON.parse(readFileSync(FILE, "utf8")) as Record<string, Recorded>;
  } catch {
    return {};
  }
}

/** Read anew each time: another run may have recorded others. */
function write(test: string, recorded: Recorded): void {
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  writeFileSync(FILE, JSON.stringify({ ...readKnown(), [test]: recorded }));
}

async function record(test: string, hash: string): Promise<Recorded | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "postrider-reach-"));
  try {
    // Functions that come out of the compile cache are counted as a whole only.
    const environment = { NODE_V8_COVERAGE: folder, NODE_DISABLE_COMPILE_CACHE: "1" };
    const run = { cwd: ROOT, timeoutMs: DURATION_MS_MAX, environment };
    const { verdict, durationMs } = await runTestFile(test, run);
    return verdict === "passed" ? { hash, durationMs, sources: sourcesIn(folder) } : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly Range[] }[];
  }[];
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** Each thread of the process has written a file of its own. */
function sourcesIn(folder: string): Record<string, RecordedSource> {
  const ran = new Map<string, number[]>();
  for (const name of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, name), "utf8")) as Coverage;
    for (const { url, functions } of result) {
      if (!isSource(url)) continue;
      const path = fileURLToPath(url).slice(ROOT.length);
      const before = ran.get(path) ?? [];
      ran.set(path, merged(before, ranOf(functions.flatMap(({ ranges }) => ranges))));
    }
  }
  return Object.fromEntries(
    [...ran].map(([path, offsets]) => [
      path,
      { hash: hashOf(readFileSync(join(ROOT, path), "utf8")), ran: offsets },
    ]),
  );
}

function isSource(url: string): boolean {
  const isOurs = ["src/", "dashboard/src/"].some((room) => url.startsWith(`file://${ROOT}${room}`));
  return isOurs && !url.endsWith(".test.ts");
}

/** Ranges lie inside each other, and the innermost one says whether its code ran. */
function ranOf(ranges: readonly Range[]): number[] {
  const end = Math.max(0, ...ranges.map(({ endOffset }) => endOffset));
  const counts = new Uint8Array(end);
  const outermostFirst = ranges.toSorted(
    (a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset,
  );
  for (const { startOffset, endOffset, count } of outermostFirst) {
    counts.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  }
  return boundaries(counts);
}

function merged(one: readonly number[], other: readonly number[]): number[] {
  const counts = new Uint8Array(Math.max(one.at(-1) ?? 0, other.at(-1) ?? 0));
  for (const offsets of [one, other]) {
    for (let index = 0; index < offsets.length; index += 2) {
      counts.fill(1, offsets[index], offsets[index + 1]);
    }
  }
  return boundaries(counts);
}

function boundaries(counts: Uint8Array): number[] {
  const found: number[] = [];
  for (let offset = 0; offset <= counts.length; offset++) {
    if ((counts[offset] ?? 0) !== (counts[offset - 1] ?? 0)) found.push(offset);
  }
  return found;
}

function reaches(source: RecordedSource | undefined, hash: string, offset: number): boolean {
  if (source === undefined) return false;
  if (source.hash !== hash) return true;
  const next = source.ran.findIndex((boundary) => boundary > offset);
  return next % 2 === 1;
}

/** The file's own test, then tests of its folder, of its room, of pages made from tables, then the rest. */
function distance(file: string, test: string): number {
  if (test === file.replace(/\.ts$/, ".test.ts")) return 0;
  if (test.startsWith("test/house/")) return 2.5;
  const folders = file.split("/").slice(0, -1);
  const others = test.split("/").slice(0, -1);
  const shared = folders.findIndex((folder, index) => others[index] !== folder);
  return 1 + (shared === -1 ? 0 : folders.length - shared);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
