import { WAIT_REASONS } from "../../src/core/model/line/waiting.ts";
import { LOG_STATES } from "../../src/core/model/message/log-entry.ts";
import { FAILURE_STATES, RUN_STATES, STEP_STATES } from "../../src/core/model/workflow/run-log.ts";

/** The files of types of answers, and the schemas in each. The dashboard uses those of the SDK too. */
export const ANSWER_FILES: Readonly<Record<string, readonly string[]>> = {
  "sdk/src/answers/account.ts": ["SigningKeys", "Account", "OwnAccount", "Token", "AddedToken"],
  "sdk/src/answers/dead-letter.ts": [
    "DeadLetter",
    "DeadLetterPage",
    "RetriedMessages",
    "BulkCount",
    "DeletedCount",
    "DeadLetterGroup",
    "DeadLetterGroups",
    "DeadLetterHost",
    "DeadLetterHosts",
  ],
  "sdk/src/answers/dead-run.ts": ["FailedRun", "FailedRunPage", "RerunRun", "RerunRuns"],
  "sdk/src/answers/dev.ts": ["DevClock", "ClockLeap", "Simulation"],
  "sdk/src/answers/line.ts": ["Queue", "FlowControlKey", "GlobalParallelism"],
  "sdk/src/answers/message.ts": [
    "Accepted",
    "Message",
    "MessagePage",
    "Wait",
    "LogEntry",
    "LogPage",
    "CancelledCount",
    "SentManyNow",
    "Callback",
    "Callbacks",
    "WaitingRow",
    "WaitingReasons",
  ],
  "sdk/src/answers/problem.ts": ["Problem"],
  "sdk/src/answers/schedule.ts": ["Schedule", "ScheduleTick", "CreatedSchedule", "CronTimes"],
  "sdk/src/answers/url-group.ts": ["UrlGroup", "Endpoint"],
  "sdk/src/answers/waiter.ts": ["Waiter", "Notified"],
  "sdk/src/answers/workflow.ts": [
    "StartedRun",
    "Run",
    "RunPage",
    "CancelledRuns",
    "StepGroup",
    "Step",
    "StepError",
    "FailureFunction",
  ],
  "dashboard/src/answers/account.ts": ["AccountStats", "AccountDeletion", "Session"],
  "dashboard/src/answers/stats.ts": [
    "Series",
    "StatPoint",
    "BacklogPoint",
    "HostStats",
    "NewestAttempts",
    "OverviewHost",
    "Overview",
    "Hosts",
  ],
  "dashboard/src/answers/node.ts": ["Nodes", "Node", "PausedServer", "Readiness"],
  "dashboard/src/answers/workflow.ts": ["RunEvent", "RunEventPage", "RunCounts"],
};

/**
 * Answers without a type. Nothing in them is read, but for the entries of a run, which the SDK reads
 * as it reads those of a delivery: whatever their members are.
 */
export const UNREAD: ReadonlySet<string> = new Set([
  "AcceptedForRun",
  "Echo",
  "EventPage",
  "Health",
  "ResumedServer",
  "RunEntry",
  "SampleAnswer",
  "SecretKeyRotation",
  "SentNow",
  "Waiting",
]);

/** What clients call them, where it is not their title. */
export const NAMES: Readonly<Record<string, string>> = {
  Accepted: "Published",
  FailedRun: "DeadRun",
  FailureFunction: "FailureFunctionLog",
  Node: "NodeRecord",
  RerunRuns: "Resumed",
  StartedRun: "Triggered",
  Step: "StepLog",
};

/** Schemas that have all members of another one. */
export const EXTENDED: Readonly<Record<string, string>> = {
  AddedToken: "Token",
  ClockLeap: "DevClock",
  OwnAccount: "Account",
  WaitingRow: "Wait",
};

/** Lists of words that have a name. */
export const WORDS: Readonly<Record<string, readonly string[]>> = {
  LogState: LOG_STATES,
  WaitReason: WAIT_REASONS,
  RunState: Object.values(RUN_STATES),
  StepState: STEP_STATES,
  FailureFunctionState: Object.values(FAILURE_STATES).filter((state) => state !== undefined),
};
