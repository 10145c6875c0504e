/**
 * The history of the store as views for any SQL tool: the same columns with the same meaning in both
 * databases. Times are unix milliseconds, as in the API. No view has a body or a header.
 * docs/reference/views.md is made from this table.
 */
import { ENTRY_KINDS } from "../../core/model/workflow/run.ts";
import { RUN_STATES } from "../../core/model/workflow/run-log.ts";
import {
  type HistoryView,
  integer,
  type Sql,
  text,
  type ViewColumn,
  wordOf,
} from "./history-view.ts";

/** Raise it when a view changes. Columns may be added at the end of a view, but never go or change. */
export const VIEWS_VERSION = 2;

const FACTS = "f.facts";
const LOG_OF_MESSAGE = `FROM log_entries e
  WHERE e.account_id = f.account_id AND e.message_id = f.message_id`;
const NEWEST = "ORDER BY e.number DESC LIMIT 1";
const WITH_FACTS = (table: string): string =>
  `LEFT JOIN facts f ON f.account_id = ${table}.account_id AND f.message_id = ${table}.message_id`;

const account = (table: string): ViewColumn =>
  text("account_id", "The account.", `${table}.account_id`);

/** What a message was published with, in each view that shows one. */
const PUBLISHED: readonly ViewColumn[] = [
  text("url", "Its destination.", (d) => d.text(FACTS, "url")),
  text(
    "host",
    "The host of its destination, in lower case, with the port if the URL has one.",
    (d) => d.host(d.text(FACTS, "url")),
  ),
  text("method", "The method of the delivery.", (d) => d.text(FACTS, "method")),
  text("queue", "Its queue.", (d) => d.text(FACTS, "queueName")),
  text("flow_control_key", "Its flow-control key.", (d) => d.text(FACTS, "flowControl", "key")),
  text("url_group", "The URL group that it was published to.", (d) => d.text(FACTS, "urlGroup")),
  text("schedule_id", "The schedule that published it.", (d) => d.text(FACTS, "scheduleId")),
  text("labels", "Its labels, with commas between them.", (d) => d.joined(FACTS, "labels")),
];

const redacted = (says: string): ViewColumn =>
  integer(
    "is_redacted",
    says,
    (d) => `CASE WHEN ${d.text(FACTS, "redact")} IS NULL THEN 0 ELSE 1 END`,
  );

const IS_ATTEMPT = "AND e.started_at IS NOT NULL";

const MESSAGES: HistoryView = {
  name: "history_messages",
  says: "One row for each message, also those that have ended, as long as the log is kept.",
  from: "facts f",
  columns: [
    account("f"),
    text("message_id", "The message.", "f.message_id"),
    integer("created_at", "When it was published.", "f.created_at"),
    text(
      "state",
      "The newest state in its log, such as `DELIVERED` or `RETRY`.",
      `(SELECT coalesce(e.next_state, e.state) ${LOG_OF_MESSAGE} ${NEWEST})`,
    ),
    integer(
      "ended_at",
      "When it was delivered, failed or canceled; null before.",
      `(SELECT CASE WHEN coalesce(e.next_state, e.state) IN ('DELIVERED', 'FAILED', 'CANCELED') THEN e.at END ${LOG_OF_MESSAGE} ${NEWEST})`,
    ),
    integer(
      "attempts",
      "How many attempts have ended.",
      `(SELECT count(*) ${LOG_OF_MESSAGE} ${IS_ATTEMPT})`,
    ),
    integer(
      "last_status",
      "The status of the last attempt; 0 without an answer, null before the first.",
      `(SELECT e.status ${LOG_OF_MESSAGE} ${IS_ATTEMPT} ${NEWEST})`,
    ),
    text(
      "last_error",
      "Why the last attempt failed.",
      `(SELECT e.error ${LOG_OF_MESSAGE} ${IS_ATTEMPT} ${NEWEST})`,
    ),
    text(
      "kind",
      "`publish`, `callback`, `failure-callback`, or of a run `step`, `call`, `call-result`, `failure-call`.",
      (d) => d.text(FACTS, "kind"),
    ),
    ...PUBLISHED,
    text("run_id", "The run that it belongs to.", (d) => d.text(FACTS, "run", "runId")),
    text("source_id", "The message that a callback reports about.", "f.source_id"),
    integer("retries_max", "How often a failed attempt is repeated.", (d) =>
      d.integer(FACTS, "retries"),
    ),
    integer(
      "body_bytes",
      "The size of its body.",
      (d) => `octet_length(f.body) + coalesce(${d.integer(FACTS, "ahead", "bytes")}, 0)`,
    ),
    redacted("1 if it was published with `Redact-Fields`."),
  ],
};

const ATTEMPTS: HistoryView = {
  name: "history_attempts",
  says: "One row for each attempt that has ended.",
  from: `log_entries a ${WITH_FACTS("a")} WHERE a.started_at IS NOT NULL`,
  columns: [
    account("a"),
    text("message_id", "The message.", "a.message_id"),
    integer("attempt", "1 for the first.", "a.attempt"),
    integer("started_at", "When it began.", "a.started_at"),
    integer("ended_at", "When it ended.", "a.ended_at"),
    integer("duration_ms", "How long it took.", "a.ended_at - a.started_at"),
    integer("status", "The status of the answer; 0 without an answer.", "a.status"),
    text("error", "Why it failed.", "a.error"),
    text("state", "`DELIVERED` or `ERROR`.", "a.state"),
    text("next_state", "What followed an error: `RETRY`, `FAILED` or `CANCELED`.", "a.next_state"),
    integer("next_at", "When the next attempt is due, after `RETRY`.", "a.next_at"),
    text("node_id", "The node that made it.", "a.node_id"),
    integer("response_bytes", "The stored size of the answer's body.", "octet_length(a.body)"),
    ...PUBLISHED,
    text("run_id", "The run that its message belongs to.", (d) => d.text(FACTS, "run", "runId")),
  ],
};

const OF_RUN =
  "n.account_id = r.account_id AND n.run_id = r.run_id AND n.created_at = r.created_at";

const RUNS: HistoryView = {
  name: "history_runs",
  says: "One row for each run of a workflow.",
  from: `runs r JOIN run_facts f
    ON f.account_id = r.account_id AND f.run_id = r.run_id AND f.created_at = r.created_at`,
  columns: [
    account("r"),
    text(
      "run_id",
      "The run. An id may be used again: with `created_at` it names one run.",
      "r.run_id",
    ),
    integer("created_at", "When it was started.", "r.created_at"),
    text(
      "state",
      "`RUN_STARTED`, `RUN_SUCCESS`, `RUN_FAILED` or `RUN_CANCELED`.",
      wordOf("r.phase", Object.values(RUN_STATES)),
    ),
    integer("ended_at", "When it ended; null before.", "r.ended_at"),
    integer(
      "duration_ms",
      "How long it took; null before it has ended.",
      "r.ended_at - r.created_at",
    ),
    text("url", "The URL of the workflow.", (d) => d.text(FACTS, "workflowUrl")),
    text("host", "The host of that URL, in lower case.", (d) =>
      d.host(d.text(FACTS, "workflowUrl")),
    ),
    integer(
      "steps",
      "How many steps have a result.",
      `(SELECT count(*) FROM run_entries n WHERE ${OF_RUN} AND n.kind = ${ENTRY_KINDS.indexOf("result")})`,
    ),
    text("labels", "Its labels, with commas between them.", (d) => d.joined(FACTS, "labels")),
    text("flow_control_key", "Its flow-control key.", (d) => d.text(FACTS, "flowControl", "key")),
    text("invoker_run_id", "The run that invoked it.", (d) => d.text(FACTS, "invoker", "runId")),
    text("failed_message_id", "The message that could not be delivered, of a failed run.", (d) =>
      d.text("r.failure", "messageId"),
    ),
    redacted("1 if it was started with `Redact-Fields`."),
  ],
};

/** The entries that hold the JSON of a step. A hook is left out: its key is a secret. */
const STEP_KINDS = (["plan", "result", "call", "wait", "invoke"] as const).map((kind) =>
  ENTRY_KINDS.indexOf(kind),
);
const ofStep =
  (sql: Sql): Sql =>
  (d) =>
    `CASE WHEN n.kind IN (${STEP_KINDS.join(", ")}) THEN ${sql(d)} END`;

const STEPS: HistoryView = {
  name: "history_steps",
  says: "One row for each entry of a run: its payload, and what its steps have planned, waited for and returned, in the order of acceptance.",
  from: `run_entries n WHERE n.kind <> ${ENTRY_KINDS.indexOf("hook")}`,
  columns: [
    account("n"),
    text("run_id", "The run.", "n.run_id"),
    integer("run_created_at", "When the run was started.", "n.created_at"),
    integer("ordinal", "Its place in the run; 0 is the payload.", "n.ordinal"),
    text(
      "kind",
      "`payload`, `plan`, `result`, `call`, `call-result`, `wait` or `invoke`.",
      wordOf("n.kind", ENTRY_KINDS),
    ),
    integer(
      "step_id",
      "The step that it belongs to.",
      ofStep(
        (d) =>
          `CASE n.kind WHEN ${ENTRY_KINDS.indexOf("plan")} THEN ${d.integer(d.decoded("n.body"), "targetStep")} ELSE ${d.integer(d.decoded("n.body"), "stepId")} END`,
      ),
    ),
    text(
      "step_name",
      "The name of the step.",
      ofStep((d) => d.text(d.decoded("n.body"), "stepName")),
    ),
    text(
      "step_type",
      "The type of the step, such as `Run`, `Call` or `Wait`.",
      ofStep((d) => d.text(d.decoded("n.body"), "stepType")),
    ),
    text("message_id", "The message that was created with it.", "n.message_id"),
    integer("at", "When it was accepted.", "n.at"),
    integer("body_bytes", "Its size.", "octet_length(n.body)"),
  ],
};

const SCHEDULES: HistoryView = {
  name: "history_schedules",
  says: "One row for each schedule.",
  from: "schedules s JOIN schedule_settings t ON t.account_id = s.account_id AND t.schedule_id = s.schedule_id",
  columns: [
    account("s"),
    text("schedule_id", "The schedule.", "s.schedule_id"),
    integer("created_at", "When it was created.", (d) => d.integer("t.settings", "createdAt")),
    text("cron", "When it fires.", (d) => d.text("t.settings", "cron")),
    text("destination", "A URL, or the name of a URL group.", (d) =>
      d.text("t.settings", "destination"),
    ),
    text("queue", "The queue that it publishes through.", (d) => d.text("t.settings", "queueName")),
    text("labels", "The labels of its messages, with commas between them.", (d) =>
      d.joined("t.settings", "options", "labels"),
    ),
    integer("is_paused", "1 while it is paused.", (d) => d.flag("s.state", "isPaused")),
    integer("next_at", "When it fires next; null for never.", "s.next_at"),
    integer("last_at", "When it last published; null before.", (d) =>
      d.integer("s.state", "lastAt"),
    ),
    text("error", "Why its last tick published nothing.", (d) => d.text("s.state", "error")),
  ],
};

const DEAD_LETTERS: HistoryView = {
  name: "history_dead_letters",
  says: "One row for each dead letter, of a message or a run.",
  from: `dead_letters d ${WITH_FACTS("d")}`,
  columns: [
    account("d"),
    text("dead_letter_id", "Its id in the API.", "d.died_at || '-' || d.number"),
    text("message_id", "The message that could not be delivered.", "d.message_id"),
    integer("died_at", "When its last attempt ended.", "d.died_at"),
    integer("attempts", "How many attempts were made.", "d.attempt"),
    integer("status", "The status of the last answer; 0 without an answer.", "d.status"),
    text("error", "Why the last attempt failed.", "d.error"),
    text("cause", "What failures of one kind have in common.", "d.cause"),
    ...PUBLISHED,
    text("run_id", "The run that failed with it.", "d.run_id"),
    integer("run_created_at", "When that run was started.", "d.run_created_at"),
  ],
};

const CLOCK: HistoryView = {
  name: "history_clock",
  says: "One row with the time, so that a query for the last hour is the same in both databases.",
  from: null,
  columns: [integer("now_at", "The time of the database.", (d) => d.now)],
};

export const HISTORY_VIEWS: readonly HistoryView[] = [
  MESSAGES,
  ATTEMPTS,
  RUNS,
  STEPS,
  SCHEDULES,
  DEAD_LETTERS,
  CLOCK,
];
