import type { Mutant } from "./mutant.ts";

/** Defects of the turns that accounts take. */
export const TURN_MUTANTS: readonly Mutant[] = [
  {
    name: "a flood of one account fills the write groups",
    edits: [
      {
        within: "store/group/act-queue.ts",
        find: "this.#sharedGroups = SHARED_GROUPS;",
        replace: "this.#sharedGroups = 0;",
      },
    ],
    suites: ["src/store/group/group-commit.test.ts"],
  },
  {
    name: "a large act is written together with those of others",
    edits: [
      {
        within: "store/group/act-queue.ts",
        find: "rows > SHARE_ROWS || bytes > SHARE_BYTES",
        replace: "rows > 10 * SHARE_ROWS || bytes > SHARE_BYTES",
      },
    ],
    suites: ["src/store/group/act-queue.test.ts"],
  },
  {
    name: "a flood of one account fills the turns of the event loop",
    edits: [
      {
        within: "platform/fair-turns.ts",
        find: "owner.waiting.length > 0 || owner.debt >= this.#share",
        replace: "owner.waiting.length > 0",
      },
    ],
    suites: ["src/platform/fair-turns.test.ts"],
  },
];
