import { contract, IN_MEMORY, type Mutant, POSTGRES } from "./mutant.ts";

/** Defects of what holds accounts to their limits, and of the way out. */
export const LIMIT_MUTANTS: readonly Mutant[] = [
  {
    name: "messages of callbacks do not count",
    edits: [
      {
        within: "store/postgres/tables/daily-counts.ts",
        find: "of(entry).messages += 1;",
        replace: `if (!entry.messageId.includes("callback")) of(entry).messages += 1;`,
      },
    ],
    suites: [contract("daily-counts")],
    only: POSTGRES,
  },
  {
    name: "what the log has gained is counted again each second",
    edits: [
      {
        within: "store/sqlite/tables/daily-counts.ts",
        find: "this.#sql.counted.run();",
        replace: "",
      },
    ],
    suites: [contract("daily-counts")],
    only: IN_MEMORY,
  },
  {
    name: "counts leave out what is not stored yet",
    edits: [
      {
        within: "store/sqlite/reads/reader.ts",
        find: "WHERE ${OF_ACCOUNT} AND ${IS_NEW})",
        replace: "WHERE ${OF_ACCOUNT} AND number < 0)",
      },
    ],
    suites: ["test/contract/sqlite/durable.test.ts"],
  },
  {
    name: "what is swept before it was counted is never counted",
    edits: [
      {
        within: "store/sqlite/thread/writer.ts",
        find: "      this.#days.countLog();\n      return this.#run(sweepAccount",
        replace: "      return this.#run(sweepAccount",
      },
    ],
    suites: [contract("daily-counts")],
    only: IN_MEMORY,
  },
  {
    name: "a message that was delayed for long goes as soon as it is delivered",
    edits: [
      {
        within: "store/sqlite/upkeep/sweep.ts",
        find: "AND at >= $4",
        replace: "AND at >= $4 AND at < 0",
      },
    ],
    suites: [contract("sweep")],
    only: IN_MEMORY,
  },
];
