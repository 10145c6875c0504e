import { contract, IN_MEMORY, type Mutant } from "./mutant.ts";

/** Defects of webhooks, which strangers call. */
export const HOOK_MUTANTS: readonly Mutant[] = [
  {
    name: "hooks: a run takes calls to a webhook that it has not created",
    edits: [
      {
        within: "core/rules/workflow/waits.ts",
        find: "return !isHook || rows.runs.firstOf(state, hookKey(eventId)) !== null;",
        replace: "return !isHook || rows.runs.firstOf(state, hookKey(eventId)) !== undefined;",
      },
    ],
    suites: [contract("waits")],
    only: IN_MEMORY,
  },
  {
    name: "hooks: a call to a webhook releases a wait for an event",
    edits: [
      {
        within: "core/rules/workflow/waits.ts",
        find: "isWebhookWait(waiter.step) === act.isHook &&",
        replace: "",
      },
    ],
    suites: [contract("waits")],
    only: IN_MEMORY,
  },
  {
    name: "hooks: a wait for an event takes a call that came before",
    edits: [
      {
        within: "store/records/run-tables.ts",
        find: `isHook: "boolean"`,
        replace: `isHook: { type: "boolean", write: () => false, read: Boolean }`,
      },
    ],
    suites: [contract("waits")],
    only: IN_MEMORY,
  },
  {
    name: "hooks: the API lets in calls that no run takes",
    edits: [
      {
        within: "operations/workflow/hooks.ts",
        find: "return (await store.reader.runs.hasStep(key, hookKey(eventId))) ? key : null;",
        replace: "return key;",
      },
    ],
    suites: ["test/journeys/workflow-hooks.test.ts"],
    only: "sqlite",
  },
];
