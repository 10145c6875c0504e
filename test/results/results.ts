import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";

/** docs/internals/results.json: what `npm run prove` and `npm run bench` last found. Pages are made from it. */
export interface Results {
  /** Null for a proof that has not run yet. */
  readonly proofs: Readonly<Record<string, ProofResult | null>>;
  readonly benchmarks: Readonly<Record<string, BenchmarkResult>>;
}

export interface ProofResult extends Circumstances {
  readonly result: string;
}

export interface BenchmarkResult extends Circumstances {
  readonly command: string;
  /** Versions of the stores, and the load before the first round. */
  readonly setting: string;
  readonly rows: readonly Row[];
  /** Sentences below the table, such as what could not be measured here. */
  readonly notes: readonly string[];
}

export interface Row {
  readonly cells: readonly string[];
  /** What the plot shows of it; a row without one is in the table only. */
  readonly bar?: Bar;
}

export interface Bar {
  readonly name: string;
  readonly value: number;
}

export interface Circumstances {
  /** As YYYY-MM-DD. */
  readonly date: string;
  /** Of the code that ran; a plus sign follows when it had changes. */
  readonly commit: string;
  readonly machine: string;
}

const FILE = new URL("../../docs/internals/results.json", import.meta.url);

export function readResults(): Results {
  return JSON.parse(readFileSync(FILE, "utf8")) as Results;
}

export function writeResults(results: Results): void {
  writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`);
}

/** The results with that of one proof replaced; those of proofs that are not among `names` go. */
export function withProof(
  { proofs, benchmarks }: Results,
  names: readonly string[],
  name: string,
  result: ProofResult,
): Results {
  const all: Results["proofs"] = { ...proofs, [name]: result };
  return { proofs: Object.fromEntries(names.map((each) => [each, all[each] ?? null])), benchmarks };
}

/** The results with some parts of the benchmark replaced. */
export function withBenchmarks(
  { proofs, benchmarks }: Results,
  measured: Readonly<Record<string, BenchmarkResult>>,
): Results {
  return { proofs, benchmarks: { ...benchmarks, ...measured } };
}

export function currentCircumstances(): Circumstances {
  const memoryGb = Math.round(totalmem() / 1024 ** 3);
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: currentCommit(),
    machine: `${availableParallelism()} cores, ${memoryGb} GB, ${process.platform}-${process.arch}, Node ${process.version}`,
  };
}

function currentCommit(): string {
  const changes = git("status", "--porcelain", "--", "src", "sdk/src", "package-lock.json");
  return `${git("rev-parse", "--short", "HEAD")}${changes === "" ? "" : "+"}`;
}

function git(...args: string[]): string {
  const cwd = new URL("../..", import.meta.url);
  return execFileSync("git", args, { cwd, encoding: "utf8" }).trim();
}
