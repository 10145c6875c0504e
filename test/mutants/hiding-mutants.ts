import type { Mutant } from "./mutant.ts";

/** Defects that show what a run was told to hide. */
export const HIDING_MUTANTS: readonly Mutant[] = [
  {
    name: "run: a call shows what its run hides",
    edits: [
      {
        within: "core/rules/workflow/run-message.ts",
        find: "redactionWithin(run.settings.redact, settings.redact)",
        replace: "redactionWithin(undefined, run.settings.redact && settings.redact)",
      },
    ],
    suites: ["test/journeys/workflow-canaries.test.ts"],
    only: "sqlite",
  },
  {
    name: "run: an invoked run shows what its invoker hides",
    edits: [
      {
        within: "core/rules/workflow/start-run.ts",
        find: "redactionWithin(parent?.run.settings.redact, settings.redact)",
        replace: "redactionWithin(undefined, settings.redact)",
      },
    ],
    suites: ["test/journeys/workflow-canaries.test.ts"],
    only: "sqlite",
  },
  {
    name: "run: the log of messages shows what a hidden call was answered",
    edits: [
      {
        within: "wire/message/message.ts",
        find: `kind !== "call" || redact?.body !== true`,
        replace: `kind !== "call" || redact === undefined || redact.body`,
      },
    ],
    suites: ["test/journeys/workflow-canaries.test.ts"],
    only: "sqlite",
  },
  {
    name: "run: the events of a run show what a hidden call was answered",
    edits: [
      {
        within: "wire/workflow/run-body.ts",
        find: "isCall ? this.ofRun(body) : this.answer(body)",
        replace: "isCall ? this.answer(body) : this.answer(body)",
      },
    ],
    suites: ["test/journeys/workflow-canaries.test.ts"],
    only: "sqlite",
  },
  {
    name: "run: the report of a failed run shows what the run hides",
    edits: [
      {
        within: "core/rules/workflow/settle-run.ts",
        find: "redactionOfFailure(redact, body)",
        replace: "redactionOfFailure(redact && undefined, body)",
      },
    ],
    suites: ["test/journeys/workflow-kept-settings.test.ts"],
    only: "sqlite.*hidden",
  },
  {
    name: "run: the body of such a report shows the headers that the run hides",
    edits: [
      {
        within: "core/views/redact.ts",
        find: "redactionFor({ ...run, body: true }, body)",
        replace: "redactionFor(run, body)",
      },
    ],
    suites: ["test/journeys/workflow-kept-settings.test.ts"],
    only: "sqlite.*hidden",
  },
  {
    name: "override: what the run hides is shown",
    edits: [
      {
        within: "operations/workflow/rerun.ts",
        find: `settings: changedSettings(old.settings, model.settings, "onRerun"),`,
        replace: `settings: { ...changedSettings(old.settings, model.settings, "onRerun"), redact: undefined },`,
      },
    ],
    suites: ["test/journeys/workflow-kept-settings.test.ts"],
    only: "sqlite.*hidden",
  },
];
