import { contract, IN_MEMORY, type Mutant } from "./mutant.ts";

/** Defects of lists: what they hold up, and what they take up. */
export const LIST_MUTANTS: readonly Mutant[] = [
  {
    name: "list: a long one lets no other have its turn",
    edits: [
      {
        within: "store/reader.ts",
        find: "SLICE_ROWS_MAX = 1_000",
        replace: "SLICE_ROWS_MAX = 20_000",
      },
    ],
    suites: [contract("list-slices")],
    only: IN_MEMORY,
  },
  {
    name: "list: accounts with many reads waiting go first",
    edits: [
      {
        within: "store/list-turns.ts",
        find: `    this.#waiting.delete(accountId);
    if (waiting.length > 0) this.#waiting.set(accountId, waiting);`,
        replace: "    if (waiting.length === 0) this.#waiting.delete(accountId);",
      },
    ],
    suites: ["src/store/list-turns.test.ts"],
  },
  {
    name: "list: an account has any number under way",
    edits: [
      {
        within: "api/list-gate.ts",
        find: "accountMax: LISTS_AT_ONCE_MAX",
        replace: "accountMax: Infinity",
      },
    ],
    suites: ["src/api/list-gate.test.ts"],
  },
  {
    name: "list: a search of logs is not counted",
    edits: [
      {
        within: "api/routes.ts",
        find: `handler: listLogs,
    lists: true,`,
        replace: "handler: listLogs,",
      },
    ],
    suites: ["src/api/list-gate.test.ts"],
  },
];
