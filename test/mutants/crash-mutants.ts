import type { Mutant } from "./mutant.ts";

const CRASHES = "test/crash/sqlite.test.ts";

/** Defects that show only when a process dies at the wrong moment. */
export const CRASH_MUTANTS: readonly Mutant[] = [
  {
    name: "a stop waits for a store that is gone",
    edits: [
      {
        within: "engine/dispatch/settler.ts",
        find: "|| this.#hasGivenUp) throw error;",
        replace: ") throw error;",
      },
    ],
    suites: ["test/journeys/stopping.test.ts"],
  },
  {
    name: "crashes: a step is committed before the message that brings its run on",
    edits: [
      {
        within: "store/sqlite/group/write.ts",
        find: "    this.#writeTables = tableWriter(database, TABLE_WRITES);",
        replace: `    const writeTables = tableWriter(database, TABLE_WRITES);
        this.#writeTables = (rows) => {
          writeTables(rows);
          database.exec("COMMIT");
          database.exec("BEGIN IMMEDIATE");
        };`,
      },
      {
        within: "store/sqlite/group/write.ts",
        find: "    this.#writeTables(rows);\n",
        replace: "",
      },
      {
        within: "store/sqlite/group/write.ts",
        find: "    tables.addFacts(rows.added);",
        replace: `    this.#writeTables(rows);
    tables.addFacts(rows.added);`,
      },
    ],
    suites: [CRASHES],
    only: "a run of postrider goes on",
  },
  {
    name: "crashes: a dead letter goes before the run that takes its place is there",
    edits: [
      {
        within: "store/sqlite/group/write.ts",
        find: "    this.#sequences = sequences;",
        replace: `    this.#sequences = sequences;
    Object.assign(this, { split: () => database.exec("COMMIT") ?? database.exec("BEGIN IMMEDIATE") });`,
      },
      {
        within: "store/sqlite/group/write.ts",
        find: "    tables.putDeduplications(",
        replace: `    if (rows.deadLetters.removed.size > 0) this.split();
    tables.putDeduplications(`,
      },
    ],
    suites: [CRASHES],
    only: "a run that had failed is taken up once",
  },
  {
    name: "observing: a node that stops keeps its counts to itself",
    edits: [
      {
        within: "engine/upkeep/stats-recorder.ts",
        find: "while (await this.#store.recordStats(MINUTES_MAX));",
        replace: "await Promise.resolve();",
      },
    ],
    suites: ["test/journeys/stats.test.ts"],
    only: "a restart loses no count",
  },
  {
    name: "store: a lease that another node has taken over is settled all the same",
    edits: [
      {
        within: "store/postgres/group/known-leases.ts",
        find: "fence = k.fence AND phase + 0 = 1 AND",
        replace: "fence >= 0 AND",
      },
    ],
    suites: ["test/contract/postgres/known-leases.test.ts"],
  },
  {
    name: "store: a message that another node has canceled is retried",
    edits: [
      {
        within: "store/postgres/group/known-leases.ts",
        find: " AND NOT cancel_requested",
        replace: "",
      },
    ],
    suites: ["test/contract/postgres/known-leases.test.ts"],
  },
  {
    name: "store: a settlement goes by an earlier lease that is known",
    edits: [
      {
        within: "store/postgres/group/known-leases.ts",
        find: "state?.fence !== lease.fence",
        replace: "state === undefined",
      },
    ],
    suites: ["test/contract/lifecycle.test.ts"],
  },
];
