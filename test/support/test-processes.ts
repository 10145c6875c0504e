/** Which test files share a process: reading and compiling the service costs more than many tests. */

/** Files of one folder; a process takes so many of them. Those that take long come first. */
const SHARED = [
  // In a fresh clone the first of them unpacks the browser.
  { folder: "test/browser/", filesMax: 3 },
  { folder: "test/journeys/", filesMax: 21 },
  { folder: "test/contract/", filesMax: 24 },
  { folder: "test/crash/", filesMax: 3 },
  { folder: "test/rows/", filesMax: 14 },
  { folder: "test/simulation/", filesMax: 10 },
  { folder: "test/delivery/", filesMax: 20 },
  { folder: "test/sdk/", filesMax: 10 },
  { folder: "test/dashboard/", filesMax: 20 },
  { folder: "test/docs/", filesMax: 5 },
  { folder: "test/house/", filesMax: 20 },
  { folder: "test/support/", filesMax: 5 },
  { folder: "sdk/src/", filesMax: 30 },
  { folder: "src/", filesMax: 66 },
];

/** What they do to their process would be felt by others, or they measure it. */
const ALONE = new Set([
  // Hooks around every test, which stop the time.
  "sdk/src/client/tail.test.ts",
  // Colours are decided when the process starts.
  "src/cli/tail.test.ts",
  // Hooks around every test, or a changed environment.
  "test/docs/receiving.test.ts",
  "test/sdk/docs.test.ts",
  "test/sdk/testing.test.ts",
  // The memory of the process.
  "test/journeys/large-answers.test.ts",
  "test/journeys/tiny-chunks.test.ts",
  "test/journeys/very-large-answers.test.ts",
  // The clock that databases show to the process.
  "test/journeys/clock-restart.test.ts",
  "test/journeys/clock-steps.test.ts",
  "test/journeys/delete-account.test.ts",
  "test/journeys/session-ends.test.ts",
  // Numbers of calls of SQLite itself, or of rows read.
  "test/contract/bounded-waiting.test.ts",
  "test/contract/sqlite/plans.test.ts",
]);

/** Begun first, since each row takes long and has a process of its own: the last to end should not have begun late. */
const LONG = [
  ["test/contract/bounded-work.test.ts"],
  ["test/docs/shell.test.ts"],
  ["test/journeys/commands.test.ts"],
  ["test/fuzz/fuzz.test.ts"],
  ["test/package/packages.test.ts"],
  [
    "test/contract/histories/histories.test.ts",
    "test/contract/postgres/kept-plans.test.ts",
    "test/contract/postgres/kept-run-plans.test.ts",
  ],
  ["test/journeys/very-large-answers.test.ts"],
  ["test/cluster/runs.test.ts", "test/cluster/lines.test.ts", "test/cluster/ticks.test.ts"],
  ["test/journeys/running.test.ts", "test/journeys/long-runs.test.ts"],
  ["test/crash/sqlite.test.ts"],
  ["test/contract/bounded-waiting.test.ts"],
  ["test/package/image.test.ts"],
  ["test/simulation/cluster.test.ts", "test/simulation/schedules.test.ts"],
];

export function inProcesses(files: readonly string[]): string[][] {
  const long = LONG.map((row) => row.filter((file) => files.includes(file)));
  const begunFirst = new Set(long.flat());
  const short = files.filter((file) => !begunFirst.has(file));
  const shared = SHARED.flatMap(({ folder, filesMax }) =>
    chunksOf(
      short.filter((file) => file.startsWith(folder) && !ALONE.has(file)),
      filesMax,
    ),
  );
  const together = new Set(shared.flat());
  const alone = short.filter((file) => !together.has(file));
  // The last folders take least: the end of a run does not wait for one process.
  return [...long.filter((row) => row.length > 0), ...chunksOf(alone, 1), ...shared];
}

function chunksOf(files: readonly string[], size: number): string[][] {
  const chunks: string[][] = [];
  for (let from = 0; from < files.length; from += size) chunks.push(files.slice(from, from + size));
  return chunks;
}
