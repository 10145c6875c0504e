import { contract, IN_MEMORY, type Mutant } from "./mutant.ts";

/** Defects of lists and of answers: what they hold up, and what they take up. */
export const LIST_MUTANTS: readonly Mutant[] = [
  {
    name: "list: a long one lets no other have its turn",
    edits: [
      {
        within: "store/reads/slices.ts",
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
        within: "store/reads/list-reader.ts",
        find: `    this.#waiting.delete(accountId);
    if (waiting.length > 0) this.#waiting.set(accountId, waiting);`,
        replace: "    if (waiting.length === 0) this.#waiting.delete(accountId);",
      },
    ],
    suites: ["src/store/reads/list-reader.test.ts"],
  },
  {
    name: "list: an account has any number under way",
    edits: [
      {
        within: "api/http/limits/list-gate.ts",
        find: "ownerMax: LISTS_AT_ONCE_MAX",
        replace: "ownerMax: Infinity",
      },
    ],
    suites: ["src/api/http/limits/list-gate.test.ts"],
  },
  {
    name: "list: a search of logs is not counted",
    edits: [
      {
        within: "api/message/log-routes.ts",
        find: `lists: true,
    says: "Lists log entries, newest first.",`,
        replace: `says: "Lists log entries, newest first.",`,
      },
    ],
    suites: ["src/api/http/limits/list-gate.test.ts"],
  },
  {
    name: "list: a page holds whatever its entries take up",
    edits: [
      {
        within: "store/reads/page-builder.ts",
        find: "this.#bytes + found.bytes > bytesMax",
        replace: "this.#bytes + found.bytes > bytesMax * 1_000",
      },
    ],
    suites: [contract("list-bytes")],
    only: IN_MEMORY,
  },
  {
    name: "answer: it is made whether its caller reads or not",
    edits: [
      {
        within: "api/http/answers/write-answer.ts",
        find: "if (!response.write(piece)) await reader.drain();",
        replace: "response.write(piece);",
      },
    ],
    suites: ["src/api/http/answers/write-answer.test.ts"],
  },
  {
    name: "answer: a caller that reads nothing keeps its connection",
    edits: [
      {
        within: "api/http/limits/slow-reader.ts",
        find: "this.#clock.after(READ_IDLE_MS_MAX, give)",
        replace: "this.#clock.after(READ_IDLE_MS_MAX, () => undefined)",
      },
    ],
    suites: ["src/api/http/limits/slow-reader.test.ts"],
  },
  {
    name: "answer: what it takes up is not charged to its account",
    edits: [
      {
        within: "api/http/limits/answer-budget.ts",
        find: "chargeUnlessGone(this.#charge, bytes, this.#request)",
        replace: "chargeUnlessGone(this.#charge, 0, this.#request)",
      },
    ],
    suites: ["src/api/http/limits/answer-budget.test.ts"],
  },
];
