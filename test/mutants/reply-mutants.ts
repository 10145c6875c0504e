import { IN_MEMORY, type Mutant } from "./mutant.ts";

/** Defects of how the next step of a run is taken from an answer, and sent from memory. */
export const REPLY_MUTANTS: readonly Mutant[] = [
  {
    name: "run: each step reads all that came before it",
    edits: [
      {
        within: "store/reads/run-lists.ts",
        find: "before?.ordinal !== ordinal - 1",
        replace: "before?.ordinal !== ordinal",
      },
    ],
    suites: ["test/simulation/run-work.test.ts"],
  },
  {
    name: "run: a reply is taken from a lease that is gone",
    edits: [
      {
        within: "core/rules/message/settle.ts",
        find: `state?.fence === lease.fence && state.phase === "active" ? state : null`,
        replace: `state?.phase === "active" ? state : null`,
      },
    ],
    suites: ["test/contract/replies.test.ts"],
    only: IN_MEMORY,
  },
];
