/**
 * The runner behind `npm test`: the static checks and every test file, in four processes at a time, over
 * one shared PostgreSQL. Its last line is the count. File names as arguments run only those.
 */
import { globSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { keepFilesInMemory } from "./support/memory-folder.ts";
import {
  PostgresUnavailable,
  startPostgres,
  type PostgresServer,
} from "./support/postgres-server.ts";
import { joinProgram } from "./support/joined-program.ts";
import { makeTemplate } from "./support/postgres-template.ts";
import { processorMs } from "./support/processor-time.ts";
import { runStaticCheck, STATIC_CHECKS, type StaticCheck } from "./support/static-checks.ts";
import { runTestFiles } from "./support/run-test-files.ts";
import { inProcesses } from "./support/test-processes.ts";
import * as reporting from "./support/test-report.ts";

/** Two more than the cores of a small machine: tests also wait, for timers and for each other. */
const CONCURRENCY = 4;
const PROCESS_TIMEOUT_MS = 600_000;
/** So much longer for each file in it. */
const FILE_TIMEOUT_MS = 60_000;
const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** These have commands of their own: `npm run prove`, `bench` and `mutants`. */
const ELSEWHERE = ["test/prove/", "test/bench/", "test/mutants/", "test/browser/"];
/** Of the tests in a browser, by name, so that one which is renamed fails; `npm run prove` has all of them on every store. */
const SAMPLE = ["first-minutes", "sign-in", "messages"].map(
  (name) => `test/browser/${name}.test.ts`,
);

type Tell = (report: reporting.TestReport) => void;
type Part = (tell: Tell) => Promise<void>;

const stopping = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, stop);

const results = await main(process.argv.slice(2));
const strict = !["", "0", "false"].includes(process.env["CI"] ?? "");
console.log(`processor time: ${Math.round(processorMs() / 1000)} s`);
console.log(reporting.describeRun(results));
process.exitCode = reporting.isSuccess(results, strict) && !stopping.signal.aborted ? 0 : 1;

/** The second time it waits for nothing; temporary files go all the same. */
function stop(): void {
  if (stopping.signal.aborted) process.exit(1);
  stopping.abort();
}

async function main(wanted: readonly string[]): Promise<reporting.TestReport[]> {
  const files = filesToRun(wanted);
  const checks = wanted.length === 0 ? STATIC_CHECKS : [];
  keepFilesInMemory();
  if (wanted.length === 0) await joinProgram();
  const { server, report } = await sharePostgres();
  try {
    const reports = await runAll([
      ...checks.map((check) => (tell: Tell) => staticCheck(check, tell)),
      ...inProcesses(files).map((together) => (tell: Tell) => testFiles(together, tell)),
    ]);
    return [...report, ...reports];
  } finally {
    await server?.stop();
  }
}

function filesToRun(wanted: readonly string[]): string[] {
  if (wanted.length > 0) return wanted.flatMap(filesNamed).toSorted();
  const all = filesOf("{src,sdk/src,test}/**/*.test.ts");
  const here = all.filter((file) => !ELSEWHERE.some((folder) => file.startsWith(folder)));
  return [...here, ...SAMPLE].toSorted();
}

/** A file, a pattern, or a folder of test files; a name that matches nothing is tried, and fails. */
function filesNamed(name: string): string[] {
  const path = relative(ROOT, name);
  const files = filesOf(path, `${path}/**/*.test.ts`).filter((file) => file.endsWith(".ts"));
  return files.length > 0 ? files : [path];
}

function filesOf(...patterns: readonly string[]): string[] {
  return globSync(patterns, { cwd: ROOT, exclude: (name) => name === "node_modules" });
}

/**
 * Starts the server that test files find in TEST_POSTGRES_URL, unless one was given to us. Without
 * one they skip; that a server which could be had did not start is a failure by itself.
 */
async function sharePostgres(): Promise<{
  server?: PostgresServer;
  report: reporting.TestReport[];
}> {
  if (process.env["TEST_POSTGRES_URL"] !== undefined) return { report: [] };
  try {
    const server = await startPostgres();
    process.env["TEST_POSTGRES_URL"] = server.url;
    await makeTemplate();
    return { server, report: [] };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.env["TEST_POSTGRES_MISSING"] = `no PostgreSQL: ${reason.trim()}`;
    if (error instanceof PostgresUnavailable) return { report: [] };
    const report = reporting.emptyReport("postgres");
    report.failures.push({ test: "the shared server starts", detail: reason });
    console.log(reporting.describeReport(report));
    return { report: [report] };
  }
}

async function runAll(parts: readonly Part[]): Promise<reporting.TestReport[]> {
  const waiting = parts.values();
  const finished: reporting.TestReport[] = [];
  const tell = (report: reporting.TestReport): void => {
    finished.push(report);
    console.log(reporting.describeReport(report));
  };
  const work = async (): Promise<void> => {
    for (const part of waiting) {
      if (stopping.signal.aborted) return;
      await part(tell);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return finished;
}

async function staticCheck(check: StaticCheck, tell: Tell): Promise<void> {
  const report = reporting.emptyReport(check.name);
  const startedAt = performance.now();
  const complaint = await runStaticCheck(check);
  if (complaint === undefined) report.passed = 1;
  else report.failures.push({ test: check.name, detail: complaint });
  report.durationMs = performance.now() - startedAt;
  tell(report);
}

function testFiles(files: readonly string[], onReport: Tell): Promise<void> {
  const { signal } = stopping;
  const timeoutMs = PROCESS_TIMEOUT_MS + files.length * FILE_TIMEOUT_MS;
  return runTestFiles(files, { timeoutMs, signal, onReport });
}
