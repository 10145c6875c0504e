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
    name: "runs: a step that was submitted before is stored again",
    edits: [
      {
        within: "core/rules/workflow/append.ts",
        find: "takenHere.get(item.stepKey) ?? firstOf(rows, state, item)",
        replace: "takenHere.get(item.stepKey) ?? null",
      },
    ],
    suites: [contract("runs")],
    only: IN_MEMORY,
  },
  {
    name: "runs: an ended run takes a step",
    edits: [
      {
        within: "core/model/workflow/run.ts",
        find: 'return state?.phase === "started";',
        replace: "return state !== null;",
      },
    ],
    suites: [contract("runs")],
    only: IN_MEMORY,
  },
  {
    name: "runs: a call's answer is brought to a run that has ended",
    edits: [
      {
        within: "core/rules/workflow/settle-run.ts",
        find: "if (!isActive(state)) return [];",
        replace: "",
      },
    ],
    suites: [contract("runs")],
    only: IN_MEMORY,
  },
  {
    name: "runs: what waits for an ended run is sent all the same",
    edits: [
      {
        within: "core/rules/workflow/end-run.ts",
        find: "...dropMessages(state, ending, rows),",
        replace: "",
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
    name: "runs: a call that fails is told of every attempt",
    edits: [
      {
        within: "core/rules/message/settle.ts",
        find: "act.source && !act.source.message.run ?",
        replace: "act.source ?",
      },
    ],
    suites: [contract("runs")],
    only: IN_MEMORY,
  },
  {
    name: "runs: a parent that has failed is called",
    edits: [
      {
        within: "core/rules/workflow/end-run.ts",
        find: 'if (parent.phase === "failed") return changes;',
        replace: "",
      },
    ],
    suites: [contract("runs")],
    only: IN_MEMORY,
  },
  {
    name: "runs: a wait passes by the event that came before it",
    edits: [
      {
        within: "core/rules/workflow/waits.ts",
        find: "const event = rows.runs.nextEvent(state, eventId, isWebhookWait(step));",
        replace: "const event = null as ReturnType<typeof rows.runs.nextEvent>;",
      },
    ],
    suites: [contract("waits")],
    only: IN_MEMORY,
  },
  {
    name: "runs: an event leaves its waiter behind",
    edits: [
      {
        within: "core/rules/workflow/waits.ts",
        find: "changes.push(removed(waiter), ...one.changes);",
        replace: "changes.push(...one.changes);",
      },
    ],
    suites: [contract("waits")],
    only: IN_MEMORY,
  },
  {
    name: "runs: a wait is timed out before its deadline",
    edits: [
      {
        within: "core/rules/workflow/waits.ts",
        find: "if (waiter.deadlineAt > dueAt) return",
        replace: "if (waiter.deadlineAt > dueAt + 1e9) return",
      },
    ],
    suites: [contract("waits")],
    only: IN_MEMORY,
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
        within: "store/postgres/tables/runs.ts",
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
    name: "runs: letters of runs are listed with the others",
    edits: [
      {
        within: "core/views/matches-message.ts",
        find: "(deadLetter.run !== undefined) === (filter.isOfRun ?? false) &&",
        replace: "",
      },
    ],
    suites: [contract("runs")],
    only: IN_MEMORY,
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
  {
    name: "runs: a call's result looks like a step",
    edits: [
      {
        within: "core/rules/workflow/run-message.ts",
        find: 'kind === "call-result" ? userHeaders(run) : run.headers',
        replace: "run.headers",
      },
    ],
    suites: ["src/core/rules/workflow/run-message.test.ts"],
  },
  {
    name: "runs: a keyed run does not wait for its turn",
    edits: [
      {
        within: "core/rules/message/immediate-lease.ts",
        find: "isDueAtOnce(message) && message.settings.flowControl === undefined",
        replace: "isDueAtOnce(message)",
      },
    ],
    suites: ["src/core/rules/workflow/run-message.test.ts"],
  },
  {
    name: "runs: any answer is taken for a workflow's",
    edits: [
      {
        within: "core/rules/message/judge.ts",
        find: "return NOT_A_WORKFLOW;",
        replace: "return null;",
      },
    ],
    suites: ["src/core/rules/message/judge.test.ts"],
  },
  {
    name: "runs: a step that came before the answer does not count",
    edits: [
      {
        within: "core/rules/workflow/settle-run.ts",
        find: "return nextOrdinal - storedEvents > 1;",
        replace: "return nextOrdinal - storedEvents > 2;",
      },
    ],
    suites: [contract("idle-runs")],
    only: IN_MEMORY,
  },
  {
    name: "runs: a run that gained something while it was about to fail fails",
    edits: [
      {
        within: "core/rules/workflow/settle-run.ts",
        find: 'return isIdle ? null : "gained";',
        replace: "return null;",
      },
    ],
    suites: [contract("idle-runs")],
    only: IN_MEMORY,
  },
  {
    name: "runs: an endpoint that accepts a run and submits nothing is taken at its word",
    edits: [
      {
        within: "engine/dispatch/settler.ts",
        find: "|| verdict.idleReason !== undefined;\n",
        replace: ";\n",
      },
    ],
    suites: ["test/journeys/workflow-silent-endpoint.test.ts"],
    only: "Upstash- .sqlite. an answer of an SDK before",
  },
];
