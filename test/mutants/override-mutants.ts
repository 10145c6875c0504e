import type { Mutant } from "./mutant.ts";

const EFFECTS = "test/journeys/workflow-override-effects.test.ts";
const KEPT = "test/journeys/workflow-kept-settings.test.ts";

/** Defects in the settings of failed runs that are taken up again. */
export const OVERRIDE_MUTANTS: readonly Mutant[] = [
  {
    name: "override: the old number of retries is kept",
    edits: [
      {
        within: "core/model/message/settings.ts",
        find: 'of the plan; 3 in a run")',
        replace: 'of the plan; 3 in a run", { onRerun: "ignores" })',
      },
    ],
    suites: [EFFECTS],
    only: "sqlite.*retries",
  },
  {
    name: "override: the old delay of retries is kept",
    edits: [
      {
        within: "core/model/message/settings.ts",
        find: 'the default backoff")',
        replace: 'the default backoff", { onRerun: "ignores" })',
      },
    ],
    suites: [EFFECTS],
    only: "sqlite.*retries",
  },
  {
    name: "override: the old flow-control key is kept",
    edits: [
      {
        within: "core/model/message/settings.ts",
        find: '    "none",\n',
        replace: '    "none", { onRerun: "ignores" },\n',
      },
    ],
    suites: [EFFECTS],
    only: "sqlite.*flow-control",
  },
  {
    name: "override: a new delay is passed over",
    edits: [
      {
        within: "operations/workflow/rerun.ts",
        find: "delayMs: given.delayMs,",
        replace: "delayMs: undefined,",
      },
    ],
    suites: [EFFECTS],
    only: "sqlite.*a delay",
  },
  {
    name: "override: of several runs only the first gets the new settings",
    edits: [
      {
        within: "operations/workflow/rerun.ts",
        find: "      const started = await rerun(context, account, kind, dead, spread.next(given));",
        replace:
          "      const own = runs.length === 0 ? given : { dialect: given.dialect, headers: [] };\n      const started = await rerun(context, account, kind, dead, spread.next(own));",
      },
    ],
    suites: [EFFECTS],
    only: "sqlite.*labels",
  },
  {
    name: "override: new labels are told in the other dialect",
    edits: [
      {
        within: "operations/workflow/rerun.ts",
        find: 'prefixed(dialect, "Label"',
        replace: 'prefixed("svc", "Label"',
      },
    ],
    suites: [EFFECTS],
    only: "sqlite.*labels",
  },
  {
    name: "override: where each step says its settings, the old retries are kept",
    edits: [
      {
        within: "operations/workflow/rerun.ts",
        find: 'changedSettings(before.settings, delivery, "onRerun")',
        replace:
          '{ ...changedSettings(before.settings, delivery, "onRerun"), retries: before.settings.retries }',
      },
    ],
    suites: [EFFECTS],
    only: "sqlite.*each step",
  },
  {
    name: "override: where each step says its settings, the old delay of retries is kept",
    edits: [
      {
        within: "operations/workflow/rerun.ts",
        find: 'changedSettings(before.settings, delivery, "onRerun")',
        replace:
          '{ ...changedSettings(before.settings, delivery, "onRerun"), retryDelay: before.settings.retryDelay }',
      },
    ],
    suites: [EFFECTS],
    only: "sqlite.*each step",
  },
  {
    name: "override: where each step says its settings, the old flow-control key is kept",
    edits: [
      {
        within: "operations/workflow/rerun.ts",
        find: 'changedSettings(before.settings, delivery, "onRerun")',
        replace:
          '{ ...changedSettings(before.settings, delivery, "onRerun"), flowControl: before.settings.flowControl }',
      },
    ],
    suites: [EFFECTS],
    only: "sqlite.*each step",
  },
  {
    name: "override: a new failure callback loses the settings of the old one",
    edits: [
      {
        within: "operations/workflow/rerun.ts",
        find: "      ...before,\n      ...named,\n",
        replace: "      ...named,\n",
      },
    ],
    suites: [KEPT],
    only: "sqlite.*has the settings",
  },
  {
    name: "override: a new failure callback keeps the settings of the old one",
    edits: [
      {
        within: "operations/workflow/rerun.ts",
        find: "      ...before,\n      ...named,\n",
        replace: "      ...named,\n      ...before,\n      url: named.url,\n",
      },
    ],
    suites: [KEPT],
    only: "sqlite.*replace those",
  },
  {
    name: "override: a new failure callback loses the flow-control key of the old one",
    edits: [
      {
        within: "operations/workflow/rerun.ts",
        find: "named.flowControl ?? before?.flowControl",
        replace: "named.flowControl",
      },
    ],
    suites: [KEPT],
    only: "sqlite.*has the settings",
  },
  {
    name: "override: the timeout of the run is lost",
    edits: [
      {
        within: "operations/workflow/rerun.ts",
        find: "    ...old,\n    runId,\n",
        replace: "    ...old,\n    timeoutMs: 7_200_000,\n    runId,\n",
      },
    ],
    suites: [KEPT],
    only: "sqlite.*not named",
  },
  {
    name: "override: what the run hides is shown",
    edits: [
      {
        within: "operations/workflow/rerun.ts",
        find: "    ...old,\n    runId,\n",
        replace: "    ...old,\n    redact: undefined,\n    runId,\n",
      },
    ],
    suites: [KEPT],
    only: "sqlite.*hidden",
  },
];
