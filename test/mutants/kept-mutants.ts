import { contract, IN_MEMORY, type Mutant } from "./mutant.ts";

/** Defects that lose or move what a change must leave alone. */
export const KEPT_MUTANTS: readonly Mutant[] = [
  {
    name: "kept: any change of an account moves the time of its last change of plan",
    edits: [
      {
        within: "core/rules/account/accounts.ts",
        find: "planChangedAt: isOtherPlan ? at : account.planChangedAt",
        replace: "planChangedAt: at",
      },
    ],
    suites: [contract("kept-fields")],
    only: IN_MEMORY,
  },
  {
    name: "kept: one limit of its own makes an account lose the others",
    edits: [
      {
        within: "core/rules/account/accounts.ts",
        find: "{ ...Object.fromEntries(kept), ...set }",
        replace: "unset.length > 0 ? { ...Object.fromEntries(kept), ...set } : set",
      },
    ],
    suites: [contract("kept-fields")],
    only: IN_MEMORY,
  },
  {
    name: "kept: a schedule that is replaced loses its record of skipped ticks",
    edits: [
      {
        within: "core/rules/schedule/schedules.ts",
        find: "skipped: known?.skipped,",
        replace: "skipped: undefined,",
      },
    ],
    suites: [contract("kept-fields")],
    only: IN_MEMORY,
  },
  {
    name: "kept: a schedule that is replaced forgets what it made last",
    edits: [
      {
        within: "core/rules/schedule/schedules.ts",
        find: "lastMessageIds: known?.lastMessageIds,",
        replace: "lastMessageIds: undefined,",
      },
    ],
    suites: [contract("kept-fields")],
    only: IN_MEMORY,
  },
  {
    name: "kept: a tick that made nothing forgets when the schedule made something",
    edits: [
      {
        within: "core/rules/schedule/schedules.ts",
        find: "lastAt: made ? at : schedule.lastAt",
        replace: "lastAt: made ? at : undefined",
      },
    ],
    suites: [contract("kept-fields")],
    only: IN_MEMORY,
  },
  {
    name: "kept: a queue or key that is changed is as young as the change",
    edits: [
      {
        within: "core/rules/line/lines.ts",
        find: "limits: { ...setting.limits, ...limits },",
        replace: "createdAt: at, limits: { ...setting.limits, ...limits },",
      },
    ],
    suites: [contract("kept-fields")],
    only: IN_MEMORY,
  },
  {
    name: "kept: a URL group loses its headers with an endpoint",
    edits: [
      {
        within: "core/rules/url-group/url-groups.ts",
        find: "{ ...known, endpoints: left, updatedAt: at }",
        replace: "{ ...known, endpoints: left, headers: [], updatedAt: at }",
      },
    ],
    suites: [contract("kept-fields")],
    only: IN_MEMORY,
  },
  {
    name: "kept: a dead letter that is sent again loses its flow-control key",
    edits: [
      {
        within: "core/policy/retry/retry-options.ts",
        find: "redact: bothRedactions(redact, given.settings.redact),",
        replace:
          "redact: bothRedactions(redact, given.settings.redact), flowControl: given.settings.flowControl,",
      },
    ],
    suites: ["src/core/policy/retry/retry-options.test.ts"],
  },
];
