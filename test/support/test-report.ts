/** What happened in one part of a test run, and how it is told. */

export interface TestReport {
  /** The test file, or the name of a static check. */
  readonly name: string;
  passed: number;
  readonly failures: Failure[];
  readonly skips: Skip[];
  /** What the file wrote, told only when something failed. */
  readonly output: string[];
  durationMs: number;
  /** Absent of a part that is not measured. */
  processorMs?: number;
}

export interface Failure {
  readonly test: string;
  readonly detail: string;
}

export interface Skip {
  readonly test: string;
  readonly reason: string;
}

export function emptyReport(name: string): TestReport {
  return { name, passed: 0, failures: [], skips: [], output: [], durationMs: 0 };
}

/** One line for a part that went well; its failures in full otherwise. */
export function describeReport(report: TestReport): string {
  const { passed, failures, skips } = report;
  const times = [inSeconds(report.durationMs)];
  if (report.processorMs !== undefined) times.push(`processor ${inSeconds(report.processorMs)}`);
  const counted = passed + failures.length + skips.length;
  const head = `${report.name} (${counted} ${counted === 1 ? "test" : "tests"}, ${times.join(", ")})`;
  if (failures.length === 0) return `ok    ${head}`;
  const details = failures.map(({ test, detail }) => `\n  ✖ ${test}\n${indent(detail)}`);
  const output = report.output.join("").trimEnd();
  const written = output === "" ? [] : [`\n  output:\n${indent(output)}`];
  return [`FAIL  ${head}`, ...details, ...written, ""].join("\n");
}

/** The last lines of a run: what was skipped, what failed, and the count. */
export function describeRun(reports: readonly TestReport[]): string {
  const skips = reports.flatMap(({ name, skips: all }) =>
    all.map(({ test, reason }) => `skipped: ${name}: ${test} (${reason})`),
  );
  const failures = reports.flatMap(({ name, failures: all }) =>
    all.map(({ test }) => `failed: ${name}: ${test}`),
  );
  const passed = reports.reduce((sum, report) => sum + report.passed, 0);
  const skipped = skips.length > 0 ? `, ${skips.length} skipped` : "";
  return [...skips, ...failures, `${passed} passed, ${failures.length} failed${skipped}`].join(
    "\n",
  );
}

/** Nothing tested is not a success, and where CI is set, neither is anything skipped. */
export function isSuccess(reports: readonly TestReport[], strict: boolean): boolean {
  return (
    reports.every(({ failures }) => failures.length === 0) &&
    reports.some(({ passed }) => passed > 0) &&
    !(strict && reports.some(({ skips }) => skips.length > 0))
  );
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "    ");
}
