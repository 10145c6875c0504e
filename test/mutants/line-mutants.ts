import { contract, HISTORIES, IN_MEMORY, type Mutant } from "./mutant.ts";

/** Defects of queues and flow-control keys. */
export const LINE_MUTANTS: readonly Mutant[] = [
  {
    name: "a publisher overrides what is pinned",
    edits: [
      {
        within: "store/sqlite",
        find: "parallelism = iif(pinned_parallelism, parallelism, excluded.parallelism),",
        replace: "parallelism = excluded.parallelism,",
      },
    ],
    suites: [contract("line-settings"), HISTORIES],
    only: IN_MEMORY,
  },
  {
    name: "a paused queue goes on with its retries",
    edits: [
      {
        within: "store/sqlite",
        find: "if (queue === undefined) return false;",
        replace: "if (queue !== undefined) return false;\n    else return false;",
      },
    ],
    suites: [contract("queues")],
    only: IN_MEMORY,
  },
  {
    name: "a queue that is removed is not looked at again",
    edits: [
      {
        within: "core/rules/lines.ts",
        find: `{ type: "line.due", accountId, line, at },\n    ],\n    answer: null,`,
        replace: `],\n    answer: null,`,
      },
    ],
    suites: [contract("queues")],
    only: IN_MEMORY,
  },
  {
    name: "a key is forgotten while a message in a queue will come to it",
    edits: [
      {
        within: "store/sqlite",
        find: "WHERE account_id = ?1 AND line_after = ?2 AND line_after >= 'k:'",
        replace: "WHERE false AND account_id = ?1 AND line_after = ?2 AND line_after >= 'k:'",
      },
    ],
    suites: [contract("line-settings")],
    only: IN_MEMORY,
  },
];
