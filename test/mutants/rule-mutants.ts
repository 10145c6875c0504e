import { contract, HISTORIES, IN_MEMORY, type Mutant } from "./mutant.ts";

/** Defects of the rules and of what both stores share. */
export const RULE_MUTANTS: readonly Mutant[] = [
  {
    name: "a settlement does not check the fence",
    edits: [
      {
        within: "core/rules/message/settle.ts",
        find: 'state?.fence === lease.fence && state.phase === "active" ? state',
        replace: 'state?.phase === "active" ? state',
      },
    ],
    suites: [contract("leases")],
    only: IN_MEMORY,
  },
  {
    name: "an exhausted message is dropped",
    edits: [
      {
        within: "core/rules/message/settle.ts",
        find: `    { type: "dead-letter.added", deadLetter },\n`,
        replace: "",
      },
    ],
    suites: [contract("settle")],
    only: IN_MEMORY,
  },
  {
    name: "one retry too many",
    edits: [
      {
        within: "core/rules/message/judge.ts",
        find: "number > retries ||",
        replace: "number > retries + 1 ||",
      },
    ],
    suites: ["src/core/rules/message/judge.test.ts"],
  },
  {
    name: "a second publish with the same deduplication key overwrites",
    edits: [
      {
        within: "core/rules/message/publish.ts",
        find: "if (firstId !== null) {",
        replace: "if (firstId !== null && item.deduplication === null) {",
      },
    ],
    suites: [contract("publish")],
    only: IN_MEMORY,
  },
  {
    name: "deduplication never expires",
    edits: [
      {
        within: "store/group/working-set.ts",
        find: "holder !== undefined && isHeld(holder, this.due.of(at)) ? holder : null",
        replace: "holder ?? null",
      },
    ],
    suites: [contract("publish")],
    only: IN_MEMORY,
  },
  {
    name: "a line lets one more in",
    edits: [
      {
        within: "core/model/line/line.ts",
        find: "limits.parallelism - held",
        replace: "limits.parallelism - held + 1",
      },
    ],
    suites: [contract("lines")],
    only: IN_MEMORY,
  },
  {
    name: "a line that was passed over is never visited again",
    edits: [
      {
        within: "core/model/line/line.ts",
        find: "nextAt: now + SKIPPED_VISIT_MS",
        replace: "nextAt: null",
      },
    ],
    suites: [HISTORIES],
    only: IN_MEMORY,
  },
  {
    name: "cancel ignores a live lease",
    edits: [
      {
        within: "core/rules/message/end-message.ts",
        find: `if (state.phase === "waiting") return`,
        replace: `if (state.phase === "waiting" || state.losses >= 0) return`,
      },
    ],
    suites: [contract("cancel")],
    only: IN_MEMORY,
  },
  {
    name: "a lost lease uses up a retry",
    edits: [
      {
        within: "core/rules/message/lease.ts",
        find: "changes: waitAgain(state, at, losses)",
        replace: "changes: waitAgain({ ...state, attempts: state.attempts + 1 }, at, losses)",
      },
    ],
    suites: [contract("take-over")],
    only: IN_MEMORY,
  },
  {
    name: "a hand-back counts as a loss",
    edits: [
      {
        within: "core/rules/message/lease.ts",
        find: "waitAgain(state, at, state.losses)",
        replace: "waitAgain(state, at, state.losses + 1)",
      },
    ],
    suites: [contract("leases")],
    only: IN_MEMORY,
  },
  {
    name: "poison is never buried",
    edits: [
      {
        within: "core/rules/message/lease.ts",
        find: "losses < POISON_LOSSES",
        replace: "losses < Infinity",
      },
    ],
    suites: [contract("take-over")],
    only: IN_MEMORY,
  },
  {
    name: "a callback does not hold its queue's slot",
    edits: [
      {
        within: "core/rules/message/callback.ts",
        find: "state: { ...made.state, queue }",
        replace: "state: made.state",
      },
    ],
    suites: [contract("queue-slots")],
    only: IN_MEMORY,
  },
  {
    name: "callers are answered before their group is written",
    edits: [
      {
        within: "store/group/group-commit.ts",
        find: "      const results = await this.#options.write(",
        replace:
          "      for (const { resolve } of group) resolve(undefined as never);\n      const results = await this.#options.write(",
      },
    ],
    suites: [contract("groups")],
  },
  {
    name: "runs: an event answers a step that its endpoint has answered",
    edits: [
      {
        within: "core/rules/workflow/waits.ts",
        find: "rows.runs.firstOf(waiter, resultKey(waiter.stepId)) !== null",
        replace: "rows.runs.firstOf(waiter, waiter.eventId) !== null",
      },
    ],
    suites: [contract("waits")],
    only: IN_MEMORY,
  },
];
