import { IN_MEMORY, type Mutant } from "./mutant.ts";

/** Defects of how the next step of a run is taken from an answer, and sent from memory. */
export const REPLY_MUTANTS: readonly Mutant[] = [
  {
    name: "run: those that go on keep the slots of a host to themselves",
    edits: [
      {
        within: "engine/dispatch/dispatcher.ts",
        find: "!this.#backlog.has(load.accountId) && !this.#hostBacklog.has(load)",
        replace: "!this.#backlog.has(load.accountId)",
      },
    ],
    suites: ["test/simulation/run-turns.test.ts"],
  },
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
  {
    name: "run: what was replied is kept with the attempt",
    edits: [
      {
        within: "engine/dispatch/settler.ts",
        find: "this.#settleReply(leased, withoutBody(attempt), reply, nodeForNext)",
        replace: "this.#settleReply(leased, (withoutBody(attempt), attempt), reply, nodeForNext)",
      },
    ],
    suites: ["test/journeys/workflow-replies.test.ts"],
    only: "sqlite",
  },
  {
    name: "run: an answer that is cut off settles its delivery",
    edits: [
      {
        within: "engine/workflow/replies.ts",
        find: `attempt: { ...attempt, outcome: { kind: "no-answer", error: reason, final: false } },`,
        replace: "attempt: reason === null ? attempt : { ...attempt },",
      },
    ],
    suites: ["test/journeys/workflow-replies.test.ts"],
    only: "sqlite",
  },
  {
    name: "run: a delivery leaves out what others have added in between",
    edits: [
      {
        within: "store/reads/run-lists.ts",
        find: "before?.ordinal !== ordinal - 1",
        replace: "before === undefined",
      },
    ],
    suites: ["src/store/reads/run-lists.test.ts"],
  },
];
