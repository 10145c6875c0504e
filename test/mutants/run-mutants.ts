import { contract, IN_MEMORY, type Mutant, POSTGRES } from "./mutant.ts";

const RACES = "test/contract/postgres/run-races.test.ts";

/** Defects of workflow runs. */
export const RUN_MUTANTS: readonly Mutant[] = [
  {
    name: "runs: a delivery carries what came after it",
    edits: [
      {
        within: "store/reads/leased.ts",
        find: "AND ordinal <= $4",
        replace: "AND ordinal <= $4 + 9",
      },
    ],
    suites: [contract("runs")],
    only: IN_MEMORY,
  },
  {
    name: "runs: the messages of an ending run are not locked with it",
    edits: [
      {
        within: "store/postgres/group/load.ts",
        find: "need.messages === true ? rows.runs.find(need.ref) : null",
        replace: "null",
      },
    ],
    suites: [contract("runs")],
    only: POSTGRES,
  },
  {
    name: "runs: two waits of a group take the same event",
    edits: [
      {
        within: "store/group/load-runs.ts",
        find: "count: (wanted.get(key)?.count ?? 0) + 1 });",
        replace: "count: 1 });",
      },
    ],
    suites: [contract("waits")],
    only: IN_MEMORY,
  },
  {
    name: "runs: runs are not locked",
    edits: [
      {
        within: "store/postgres/group/load.ts",
        find: "WHERE ${hasKey(KEY)} FOR UPDATE) r",
        replace: "WHERE ${hasKey(KEY)} OFFSET 0) r",
      },
    ],
    suites: [RACES],
  },
  {
    name: "the first error of a transaction is hidden by its followers",
    edits: [
      {
        within: "store/postgres/driver/conversation.ts",
        find: "return this.#failure.cause;",
        replace: "return error;",
      },
    ],
    suites: [contract("postgres/conversation")],
  },
  {
    name: "runs: a run is swept although it is a dead letter",
    edits: [
      {
        within: "store/sqlite/upkeep/sweep.ts",
        find: "AND NOT EXISTS (SELECT 1 FROM dead_letters d WHERE d.account_id = r.account_id",
        replace: "AND NOT EXISTS (SELECT 1 FROM dead_letters d WHERE d.account_id = 'x'",
      },
    ],
    suites: [contract("runs")],
    only: IN_MEMORY,
  },
];
