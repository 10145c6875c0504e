/** Runs test files in one process and reports, file by file, what their tests said. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { run } from "node:test";
import type { EventData } from "node:test";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { descendantsOf } from "./descendants.ts";
import { emptyReport, type TestReport } from "./test-report.ts";

export interface TestRun {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Told of each file when its tests have ended. */
  readonly onReport: (report: TestReport) => void;
}

/** Threads beside others that collect garbage take a tenth more processor time; several processes fill the cores anyway. */
const NODE_FLAGS = ["--single-threaded-gc"];
const SEVERAL = fileURLToPath(new URL("./several-test-files.ts", import.meta.url));

export async function runTestFiles(files: readonly string[], options: TestRun): Promise<void> {
  const running = new RunningFiles(files, options.onReport);
  const expiry = AbortSignal.timeout(options.timeoutMs);
  const stop = AbortSignal.any([options.signal, expiry]);
  const killing = new AbortController();
  stop.addEventListener("abort", () => {
    killAll(files);
    killing.abort();
  });
  const { signal } = killing;
  const events = run({ files: [SEVERAL], argv: [...files], execArgv: NODE_FLAGS, signal });
  events.on("test:pass", (event) => running.passed(event));
  events.on("test:fail", (event) => running.failed(event));
  events.on("test:diagnostic", ({ message }) => running.told(message));
  events.on("test:stdout", ({ message }) => running.wrote(message));
  events.on("test:stderr", ({ message }) => running.wrote(message));
  events.resume();
  await once(events, "end");
  running.end(expiry.aborted ? `not within ${options.timeoutMs / 1000} s` : "its process ended");
}

/** Kills the process of these files, and before it those that its tests have started: nobody else would end them. */
function killAll(files: readonly string[]): void {
  const own = descendantsOf(process.pid).filter((pid) => isRunning(pid, files));
  for (const pid of own.flatMap((each) => [...descendantsOf(each), each])) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}

function isRunning(pid: number, files: readonly string[]): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return words.includes(SEVERAL) && words.slice(-1 - files.length, -1).join() === files.join();
  } catch {
    return false;
  }
}

/** Files whose results come one after another, each followed by a test with the name of the file. */
class RunningFiles {
  readonly #waiting: string[];
  readonly #onReport: (report: TestReport) => void;
  #report: TestReport;
  #startedAt = performance.now();

  constructor(files: readonly string[], onReport: (report: TestReport) => void) {
    this.#waiting = [...files];
    this.#onReport = onReport;
    this.#report = emptyReport(this.#waiting[0]!);
  }

  passed(event: EventData.TestPass): void {
    const file = this.#waiting[0]!;
    if (![file, `${file} is read`].includes(event.name)) recordPass(this.#report, event);
  }

  failed(event: EventData.TestFail): void {
    recordFailure(this.#report, event);
  }

  told(message: string): void {
    const [file, processorMs] = message.split(" took ");
    if (file !== this.#waiting[0]) return;
    this.#report.processorMs = Number(processorMs);
    this.#next();
  }

  wrote(text: string): void {
    this.#report.output.push(text);
  }

  /** Files that did not end have failed, and so has what happened after the last of them. */
  end(why: string): void {
    while (this.#waiting.length > 0) {
      this.#report.failures.push({ test: "the file ends", detail: why });
      this.#next();
    }
    if (this.#report.failures.length > 0) this.#onReport(this.#report);
  }

  #next(): void {
    const report = this.#report;
    if (report.passed + report.failures.length + report.skips.length === 0) {
      report.failures.push({ test: "the whole file", detail: "It holds no test." });
    }
    const endedAt = performance.now();
    report.durationMs = endedAt - this.#startedAt;
    this.#startedAt = endedAt;
    this.#waiting.shift();
    this.#report = emptyReport(this.#waiting[0] ?? `the end of the process of ${report.name}`);
    this.#onReport(report);
  }
}

function recordPass(report: TestReport, event: EventData.TestPass): void {
  if (event.details.type === "suite" || isProcess(event.name)) return;
  if (!recordSkip(report, event)) report.passed++;
}

function recordFailure(report: TestReport, event: EventData.TestFail): void {
  if (recordSkip(report, event)) return;
  const error = event.details.error as EventData.Error & { failureType?: string };
  // The failed test inside it has been recorded already.
  if (error.failureType === "subtestsFailed") return;
  const line = event.line === undefined ? "" : ` (line ${event.line})`;
  const test = isProcess(event.name) ? "the process" : `${event.name}${line}`;
  report.failures.push({ test, detail: explain(error) });
}

/** A test marked as "to do" proves nothing, so it counts as skipped whatever it said. */
function recordSkip(report: TestReport, event: EventData.TestPass | EventData.TestFail): boolean {
  const mark = event.skip ?? event.todo;
  if (mark === undefined || mark === false) return false;
  report.skips.push({ test: event.name, reason: mark === true ? "no reason given" : mark });
  return true;
}

/** Node reports a process as if it were a test when it ended badly or no test in it was heard of. */
function isProcess(name: string): boolean {
  return resolve(name) === SEVERAL;
}

function explain(error: EventData.Error): string {
  const shown = inspect(error.cause ?? error, { depth: 10 });
  return shown.replaceAll(/^\s+at .*\bnode:internal\/.*[^{]\n/gm, "").trimEnd();
}
