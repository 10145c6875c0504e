/** Runs one test file in a process of its own and reports what its tests said. */
import { once } from "node:events";
import { resolve } from "node:path";
import { run } from "node:test";
import type { EventData } from "node:test";
import { inspect } from "node:util";
import { emptyReport, type TestReport } from "./test-report.ts";

export async function runTestFile(
  file: string,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<TestReport> {
  const report = emptyReport(file);
  const expiry = AbortSignal.timeout(timeoutMs);
  const events = run({ files: [file], signal: AbortSignal.any([signal, expiry]) });
  events.on("test:pass", (event) => recordPass(report, event));
  events.on("test:fail", (event) => recordFailure(report, event));
  events.on("test:stdout", ({ message }) => report.output.push(message));
  events.on("test:stderr", ({ message }) => report.output.push(message));
  events.resume();
  await once(events, "end");
  if (expiry.aborted) {
    report.failures.push({ test: "the file ends", detail: `not within ${timeoutMs / 1000} s` });
  }
  return report;
}

function recordPass(report: TestReport, event: EventData.TestPass): void {
  if (event.details.type === "suite") return;
  if (isWholeFile(report, event.name)) {
    report.failures.push({ test: "the whole file", detail: "It holds no test." });
  } else if (!recordSkip(report, event)) {
    report.passed++;
  }
}

function recordFailure(report: TestReport, event: EventData.TestFail): void {
  if (recordSkip(report, event)) return;
  const error = event.details.error as EventData.Error & { failureType?: string };
  // The failed test inside it has been recorded already.
  if (error.failureType === "subtestsFailed") return;
  const line = event.line === undefined ? "" : ` (line ${event.line})`;
  const test = isWholeFile(report, event.name) ? "the whole file" : `${event.name}${line}`;
  report.failures.push({ test, detail: explain(error) });
}

/** A test marked as "to do" proves nothing, so it counts as skipped whatever it said. */
function recordSkip(report: TestReport, event: EventData.TestPass | EventData.TestFail): boolean {
  const mark = event.skip ?? event.todo;
  if (mark === undefined || mark === false) return false;
  report.skips.push({ test: event.name, reason: mark === true ? "no reason given" : mark });
  return true;
}

/** Node reports a file as if it were a test when no test in it could be heard of. */
function isWholeFile(report: TestReport, name: string): boolean {
  return resolve(name) === resolve(report.name);
}

function explain(error: EventData.Error): string {
  const shown = inspect(error.cause ?? error, { depth: 10 });
  return shown.replaceAll(/^\s+at .*\bnode:internal\/.*[^{]\n/gm, "").trimEnd();
}
