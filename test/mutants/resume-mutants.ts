import type { Mutant } from "./mutant.ts";

const OVERRIDES = "test/journeys/workflow-overrides.test.ts";

/** Defects of failed runs that are taken up again. */
export const RESUME_MUTANTS: readonly Mutant[] = [
  {
    name: "resume: of several new labels only the first reaches the endpoint",
    edits: [
      {
        within: "operations/workflow/rerun.ts",
        find: '"Label", labels.join(",")',
        replace: '"Label", labels[0] ?? ""',
      },
    ],
    suites: [OVERRIDES],
    only: ".sqlite.",
  },
  {
    name: "resume: a sleep that is not over is cut short",
    edits: [
      {
        within: "operations/workflow/rerun.ts",
        find: 'Math.max(model.notBefore, entry.kind === "payload" ? 0 : before.notBefore)',
        replace: "model.notBefore",
      },
    ],
    suites: [OVERRIDES],
    only: ".sqlite.",
  },
  {
    name: "resume: headers of a new failure callback do not replace the old ones",
    edits: [
      {
        within: "operations/workflow/rerun.ts",
        find: "replaceHeaders(before?.headers ?? [], named.headers)",
        replace: "replaceHeaders(named.headers, before?.headers ?? [])",
      },
    ],
    suites: [OVERRIDES],
    only: ".sqlite.",
  },
  {
    name: "resume: steps that are sent again carry the old labels",
    edits: [
      {
        within: "operations/workflow/rerun.ts",
        find: "? model.headers : relabelled(before.headers, run, given)",
        replace: "? model.headers : before.headers",
      },
    ],
    suites: [OVERRIDES],
    only: ".sqlite.",
  },
];
