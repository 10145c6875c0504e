import type { Edit, Mutant } from "./mutant.ts";

/** A defect in what one row of the specification promises. */
export interface RowMutant extends Mutant {
  /** The row, by the name of the test that must notice. */
  readonly row: string;
}

/** One row in ten and more, so that it is known that the tests of rows bite. */
export const ROW_MUTANTS: readonly RowMutant[] = [
  broken(
    "dead-letter",
    "2.1 callback",
    "wire/message/message.ts",
    "settings.callback?.url",
    "undefined",
  ),
  broken(
    "dead-letter",
    "2.1 labels",
    "wire/message/message.ts",
    "labels?.[0], labels }",
    "labels?.[0] }",
  ),
  broken("dead-letter", "2.1 responseStatus", "wire/message/message.ts", "deadLetter.status", "0"),
  broken(
    "dead-letter",
    "2.1 endpointName",
    "wire/message/message.ts",
    "message.endpointName",
    "undefined",
  ),
  broken(
    "schedule",
    "2.2 delay",
    "wire/schedule/schedule.ts",
    "secondsOf(options.delayMs)",
    "undefined",
  ),
  broken(
    "schedule",
    "2.2 lastScheduleTime",
    "wire/schedule/schedule.ts",
    "schedule.lastAt,",
    "undefined,",
  ),
  broken(
    "schedule",
    "2.2 retries",
    "wire/schedule/schedule.ts",
    "    retries,\n",
    "    retries: retries && 3,\n",
  ),
  broken(
    "account",
    "2.5 budget",
    "wire/account/account.ts",
    "budget: account.budgetDollars",
    "budget: 0",
  ),
  broken("account", "2.5 token", "wire/account/account.ts", 'secrets?.token ?? ""', '"a token"'),
  broken(
    "run-log",
    "2.3 workflowRunCallerIp",
    "wire/workflow/run-log.ts",
    "CallerIp: run.callerIp",
    'CallerIp: ""',
  ),
  broken(
    "run-log",
    "2.3 invoker",
    "wire/workflow/run-log.ts",
    "workflowUrl: run.invoker.requested.url",
    'workflowUrl: ""',
  ),
  broken(
    "run-log-filters",
    "4.6 trimBody",
    "wire/workflow/run-log-query.ts",
    'toQuery(query, "none", LOGS_RUNS_MAX)',
    'toQuery(query, "whole", LOGS_RUNS_MAX)',
  ),
  broken(
    "workflow-answers",
    "6 a wait that ends sends its timeout request",
    "core/rules/workflow/waits.ts",
    "waitTimeout: true, ",
    "",
  ),
  broken(
    "states",
    "3 pausing a schedule leaves its next time and ignores that delivery",
    "core/rules/schedule/schedules.ts",
    "isPaused ? schedule.nextAt :",
    "isPaused ? null :",
  ),
  broken(
    "schedule-headers",
    "4.2 Svc-Label",
    "wire/headers/header.ts",
    "draft.settings.labels = parseLabels(given)",
    "draft.settings.labels = parseLabels(given).slice(0, 1)",
  ),
  broken(
    "schedule-headers",
    "4.2 Svc-Redact-Fields",
    "wire/schedule/schedule.ts",
    "contentJson({ ...options, callerIp }, body)",
    "contentJson({ ...options, settings: {}, callerIp }, body)",
  ),
  broken(
    "events",
    "6 a callback follows each attempt",
    "core/rules/message/callback.ts",
    "followUp(report, source, act, state)",
    'act.verdict.kind === "delivered" ? followUp(report, source, act, state) : []',
  ),
  broken(
    "limits",
    "8 max_schedules",
    "core/rules/schedule/schedules.ts",
    "count >= limit",
    "count > limit",
  ),
  broken(
    "limits",
    "8 max_message_size",
    "api/message/publish.ts",
    "await call.body.read(account.limits.messageBytesMax)",
    "await call.body.read(account.limits.messageBytesMax + 1)",
  ),
  broken(
    "limits",
    "8 timeout",
    "core/rules/message/compose-message.ts",
    ": Math.min(askedMs, limits.timeoutMsMax)",
    ": askedMs",
  ),
];

function broken(
  file: string,
  row: string,
  within: Edit["within"],
  find: string,
  replace: string,
): RowMutant {
  return {
    name: `row ${row}`,
    row,
    edits: [{ within, find, replace }],
    suites: [`test/rows/${file}.test.ts`],
    only: `^.*sqlite.* ${row}$`,
  };
}
