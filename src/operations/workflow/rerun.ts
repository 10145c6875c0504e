import {
  type RerunAct,
  type Resent,
  restart,
  resumption,
  type RerunHistory,
} from "../../core/rules/workflow/rerun.ts";
import type { Account } from "../../core/model/account/account.ts";
import { deadLetterId } from "../../core/model/message/dead-letter.ts";
import type { DeadRun, DeadRunFilter } from "../../core/model/workflow/dead-run.ts";
import type { HeaderList, Message, RunInstance } from "../../core/model/message/message.ts";
import type { Instant } from "../../core/model/time.ts";
import { prefixed } from "../../core/model/message/dialect.ts";
import type {
  CallbackOptions,
  GivenSettings,
  PublishOptions,
} from "../../core/model/message/publish-options.ts";
import { changedSettings } from "../../core/model/message/settings.ts";
import type { RunEntry, Run, RunHistory } from "../../core/model/workflow/run.ts";
import { Problem } from "../../core/problem.ts";
import { requireDestination } from "../../core/rules/message/compose.ts";
import { composeMessage } from "../../core/rules/message/compose-message.ts";
import { replaceHeaders } from "../../core/policy/headers/header-name.ts";
import { requireSpread } from "../../core/policy/retry/spread.ts";
import { PAGE_BYTES_MAX } from "../../store/reader/page.ts";
import type { BulkQuery } from "../../wire/filters/filters.ts";
import type { Context } from "../context.ts";
import { deadLetterNotFound, getDead } from "../dead-pages.ts";
import { eachDeadRun } from "./dead-runs.ts";
import { requireCallbacks } from "../message/destinations.ts";
import { requireRoom } from "../message/messages.ts";

/** How a failed run is run again: from where it failed, or from its beginning. */
export type RerunKind = "resume" | "restart";

/** Settings that replace those of the failed run. */
export interface NewSettings extends PublishOptions {
  /** The id of the new run; generated when absent. */
  readonly runId?: string | undefined;
}

export async function rerunOne(
  context: Context,
  account: Account,
  kind: RerunKind,
  id: string,
  given: NewSettings,
): Promise<RunInstance> {
  const dead = await getDead(context, "deadRuns", account.accountId, id);
  const started = await rerun(context, account, kind, dead, given);
  if (started === null) throw deadLetterNotFound(id);
  return started;
}

/** New runs from all matching ones, or from `count` of them. Every given id must exist. */
export async function rerunMany(
  context: Context,
  account: Account,
  kind: RerunKind,
  query: BulkQuery<DeadRunFilter>,
  given: PublishOptions,
): Promise<{ readonly runs: readonly RunInstance[]; readonly cursor: string | undefined }> {
  const { accountId, limits } = account;
  const spread = requireSpread(query.overMs, given, context.clock.now(), limits.delayMsMax);
  // The whole history of each is read, one at a time.
  const reserve = async (page: readonly DeadRun[]): Promise<void> =>
    context.reserve?.(PAGE_BYTES_MAX + Math.max(0, ...page.map(({ state }) => state.bytes)));
  for (const id of query.filter.deadLetterIds ?? []) {
    await reserve([await getDead(context, "deadRuns", accountId, id)]);
  }
  const runs: RunInstance[] = [];
  const change = async (page: readonly DeadRun[]): Promise<number> => {
    for (const dead of page) {
      const started = await rerun(context, account, kind, dead, spread.next(given));
      if (started !== null) runs.push(started);
    }
    // The answer for a run is a generated id: small beside what was read.
    return 0;
  };
  const cursor = await eachDeadRun(context, accountId, query, { change, reserve });
  return { runs, cursor };
}

/** Null when another caller was faster. */
async function rerun(
  context: Context,
  account: Account,
  kind: RerunKind,
  first: DeadRun,
  given: NewSettings,
): Promise<RunInstance | null> {
  requireRoom(context);
  let dead: DeadRun | null = first;
  for (let tries = 0; tries < TRIES_MAX && dead !== null; tries += 1) {
    const history = await context.store.reader.runs.history(dead.state, WHOLE_BODY_BYTES);
    const rerunHistory = kind === "resume" ? resumption(history) : restart(history);
    const act = actOf(context, account, dead, { history, rerunHistory, given });
    const answer = await context.store.act(act);
    if (answer.kind === "rerun") {
      context.bell.ring();
      return answer;
    }
    if (answer.kind === "gone") return null;
    if (answer.kind === "taken" && given.runId !== undefined) {
      throw new Problem("invalid-request", "Workflow-RunId: a run of this id has not ended");
    }
    // A run that it had invoked has ended meanwhile.
    dead = await context.store.reader.deadRuns.get(dead.deadLetter);
  }
  if (dead === null) return null;
  throw new Problem("overloaded", `dead letter ${deadLetterId(dead.deadLetter)} is changing`, 1);
}

interface Plan {
  readonly history: RunHistory;
  readonly rerunHistory: RerunHistory;
  readonly given: NewSettings;
}

function actOf(context: Context, account: Account, dead: DeadRun, plan: Plan): RerunAct {
  const { state, deadLetter } = dead;
  const { accountId, runId, createdAt, nextOrdinal } = state;
  const at = context.clock.now();
  const model = modelOf(context, account, dead, plan.given, at);
  const name = plan.given.runId ?? `wfr_${context.ids.secret(RUN_ID_CHARACTERS)}`;
  const run = runOf(state.run, name, model, at);
  const ids = new Map(
    plan.rerunHistory.resent.map(({ ordinal }) => [ordinal, context.ids.sortable("msg_", at)]),
  );
  const entries = plan.rerunHistory.kept.map((entry) => ({
    ...entry,
    messageId: ids.get(entry.ordinal) ?? entry.messageId,
  }));
  const resent = plan.rerunHistory.resent.map((entry) =>
    resentOf(entry, ids.get(entry.ordinal)!, model, { ...plan, run: state.run }),
  );
  const { diedAt, number } = deadLetter;
  return {
    rule: "rerun",
    at,
    key: { accountId, diedAt, number },
    from: { accountId, runId, createdAt },
    nextOrdinal,
    run,
    entries,
    resent,
  };
}

/** A message with the settings of the new run, refused when it may not have them. */
function modelOf(
  context: Context,
  account: Account,
  { state, payload }: DeadRun,
  given: PublishOptions,
  at: Instant,
): Message {
  const { run } = state;
  const options: PublishOptions = {
    dialect: run.dialect,
    method: "POST",
    headers: relabelled(run.headers, run, given),
    settings: changedSettings<GivenSettings>(
      run.settings,
      { ...given.settings, failureCallback: failureCallbackOf(run, given) },
      "onRerun",
    ),
    delayMs: given.delayMs,
    notBefore: given.notBefore,
  };
  requireDestination(run.workflowUrl, context.readDestination, "workflowUrl");
  requireCallbacks(context, options);
  return composeMessage({
    account,
    options,
    messageId: context.ids.sortable("msg_", at),
    url: run.workflowUrl,
    body: payload,
    callerIp: run.callerIp,
    at,
    origin: { kind: "step" },
  });
}

function runOf(old: Run, runId: string, model: Message, at: Instant): Run {
  return {
    ...old,
    runId,
    createdAt: at,
    headers: model.headers,
    settings: changedSettings(old.settings, model.settings, "onRerun"),
    // The invoker of the failed run has been notified of its failure.
    invoker: undefined,
    rerunOf: { runId: old.runId, createdAt: old.createdAt },
  };
}

/** The earlier message with the new settings; a sleep that is not over continues. */
function resentOf(
  entry: RunEntry,
  messageId: string,
  model: Message,
  { history, given, run }: Plan & { readonly run: Run },
): Resent {
  const sent = history.messages.find(({ message }) => message.messageId === entry.messageId);
  const before = sent?.message ?? model;
  const { callback: _, failureCallback: __, ...delivery } = given.settings;
  const isResult = entry.kind === "call-result";
  const requested: Message = {
    ...before,
    messageId,
    settings: changedSettings(before.settings, delivery, "onRerun"),
    headers: entry.kind === "payload" ? model.headers : relabelled(before.headers, run, given),
    createdAt: model.createdAt,
    notBefore: Math.max(model.notBefore, entry.kind === "payload" ? 0 : before.notBefore),
  };
  return {
    kind: isResult ? "call-result" : "step",
    requested,
    ordinal: entry.ordinal,
    body: isResult && sent !== undefined ? sent.body : NOTHING,
  };
}

/** The endpoint gets the labels in a separate header. */
function relabelled(
  headers: HeaderList,
  { dialect }: Run,
  { settings: { labels } }: PublishOptions,
): HeaderList {
  if (labels === undefined) return headers;
  const others = headers.filter(([name]) => !LABEL.test(name));
  return [...others, ...prefixed(dialect, "Label", labels.join(","))];
}

/** The failure report of the new run carries the same labels. */
function failureCallbackOf(run: Run, given: PublishOptions): CallbackOptions | undefined {
  const { failureCallback: before } = run.settings;
  const { failureCallback: named } = given.settings;
  if (named !== undefined) {
    return {
      ...before,
      ...named,
      headers: relabelled(replaceHeaders(before?.headers ?? [], named.headers), run, given),
      flowControl: named.flowControl ?? before?.flowControl,
    };
  }
  return before && { ...before, headers: relabelled(before.headers, run, given) };
}

const LABEL = /^(?:svc|upstash)-label$/i;
const NOTHING = new Uint8Array(0);
const RUN_ID_CHARACTERS = 21;
const WHOLE_BODY_BYTES = 2 ** 31 - 2;
const TRIES_MAX = 5;
