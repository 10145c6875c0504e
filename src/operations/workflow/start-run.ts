import type {
  InvokerRef,
  StartedRun,
  StartRunAct,
  RestartFirstStepAct,
} from "../../core/rules/workflow/start-run.ts";
import type { Account } from "../../core/model/account/account.ts";
import { prefixed } from "../../core/model/message/dialect.ts";
import type { HeaderList, Message } from "../../core/model/message/message.ts";
import type { Instant } from "../../core/model/time.ts";
import type { PublishOptions } from "../../core/model/message/publish-options.ts";
import type { Run, RunFeatures } from "../../core/model/workflow/run.ts";
import { replaceHeaders } from "../../core/policy/headers/header-name.ts";
import { requireWithin } from "../../core/policy/limits/limits.ts";
import { rawHeadersOf } from "../../wire/headers/header-text.ts";
import { readInvocation } from "../../wire/workflow/invoke.ts";
import type { BatchDialect } from "../../wire/headers/header-reading.ts";
import { readPublishOptions } from "../../wire/message/publish.ts";
import { asStepError } from "../../wire/workflow/step.ts";
import { headerOf, readTriggerHeaders } from "../../wire/workflow/workflow-headers.ts";
import { type Context, dialectOf } from "../context.ts";
import { requireRoom } from "../message/messages.ts";
import { handOver, storeReserved } from "../hand-over.ts";
import { outcomeOf, reserveSlot, type Content } from "./run-hand-over.ts";
import { requestedMessage, RUN_RETRIES_DEFAULT } from "./run-message.ts";
import { refused, type WorkflowRequest } from "./submissions.ts";

export interface RunStart {
  readonly account: Account;
  readonly run: Run;
  readonly requested: Message;
  readonly payload: Uint8Array;
  readonly invoker?: InvokerRef | undefined;
}

/** Reads a publish by which a client starts a run, with all settings of the run. */
export function readStart(context: Context, request: WorkflowRequest): RunStart {
  const { account, workflow, rawHeaders, aliases } = request;
  const options = readPublishOptions(rawHeaders, aliases, {
    defaultDialect: dialectOf(context, account),
    retriesDefault: RUN_RETRIES_DEFAULT,
  });
  const requested = requestedMessage(context, { ...request, options });
  const { deduplicationId } = options;
  const features = featuresOf(workflow.features);
  const run = runOf(request, workflow.runId, requested, { features, deduplicationId });
  return { account, run, requested, payload: request.body };
}

/** Reads a publish by which a step of a run invokes another one, and waits for its end. */
export function readInvoke(context: Context, request: WorkflowRequest): RunStart {
  return asStepError(() => {
    const { account, callerIp, at } = request;
    const { payload, invoker, headers, step } = readInvocation(request.body);
    const start = readStart(context, { ...request, body: payload });
    const depth = Number(headerOf(start.requested.headers, "workflow-invoke-count") ?? 0);
    requireWithin("maxInvokeDepth", depth, INVOKE_DEPTH_MAX);
    const options = readPublishOptions(rawHeadersOf(headers), [], {
      defaultDialect: start.run.dialect,
    });
    const url = invoker.workflowUrl;
    const requested = requestedMessage(context, {
      account,
      url,
      urlField: "workflowUrl",
      options,
      body: NOTHING,
      callerIp,
      at,
    });
    const ref = {
      accountId: account.accountId,
      runId: invoker.runId,
      createdAt: invoker.createdAt,
    };
    return { ...start, invoker: { ref, step, requested, messageId: requested.messageId } };
  });
}

export interface TriggerRequest {
  readonly account: Account;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly aliases: HeaderList;
  readonly payload: Uint8Array;
  readonly callerIp: string;
  readonly at: Instant;
  /** For one of several: what the headers of the whole request name. */
  readonly batchDialect?: BatchDialect | undefined;
}

/** Reads a trigger, which has only the user's settings; the other settings of a run are added. */
export function readTrigger(context: Context, request: TriggerRequest): RunStart {
  const { account, url, rawHeaders, aliases, payload } = request;
  const given = readPublishOptions(rawHeaders, aliases, {
    call: "trigger",
    defaultDialect: dialectOf(context, account),
    batchDialect: request.batchDialect,
    retriesDefault: RUN_RETRIES_DEFAULT,
  });
  const workflow = readTriggerHeaders(rawHeaders);
  const runId = workflow.runId ?? `wfr_${context.ids.secret(RUN_ID_CHARACTERS)}`;
  const options = triggerOptions(given, url, workflow.isUnknownSdk);
  const asked = { ...request, urlField: "workflowUrl", options, body: payload };
  const requested = requestedMessage(context, asked);
  const { deduplicationId } = given;
  const run = runOf(request, runId, requested, { features: EVERY_FEATURE, deduplicationId });
  return { account, run, requested, payload };
}

/** The endpoint's failure function is called unless a URL is given. */
function triggerOptions(given: PublishOptions, url: string, isUnknownSdk: boolean): PublishOptions {
  const ours = (name: string, value: string): HeaderList => prefixed(given.dialect, name, value);
  const { labels, failureCallback: named } = given.settings;
  const labeled = labels === undefined ? [] : ours("Label", labels.join(","));
  const headers = replaceHeaders(given.headers, labeled);
  const marks = [
    ...ours("Workflow-Is-Failure", "true"),
    ...ours("Workflow-Failure-Callback", "true"),
  ];
  const failureCallback = {
    ...named,
    url: named?.url ?? url,
    headers: replaceHeaders(replaceHeaders(headers, named?.headers ?? []), marks),
  };
  const unknown = isUnknownSdk ? ours("Workflow-Unknown-Sdk", "true") : [];
  return {
    ...given,
    headers: replaceHeaders(headers, unknown),
    settings: { ...given.settings, failureCallback },
  };
}

function runOf(
  { account, url, callerIp, at }: Pick<TriggerRequest, "account" | "url" | "callerIp" | "at">,
  runId: string,
  requested: Message,
  { features, deduplicationId }: Pick<Run, "features" | "deduplicationId">,
): Run {
  const { dialect, headers, settings } = requested;
  return {
    accountId: account.accountId,
    runId,
    createdAt: at,
    workflowUrl: url,
    dialect,
    headers,
    settings: { ...settings, callback: undefined },
    callerIp,
    features,
    deduplicationId,
  };
}

function featuresOf(names: ReadonlySet<string>): RunFeatures {
  return {
    lazyFetch: names.has("LazyFetch"),
    detectTrigger: names.has("WF_DetectTrigger"),
    inheritsSettings: names.has("WF_TriggerOnConfig"),
  };
}

/** Starts a run, unless a run with the same id has not ended. */
export async function startRun(context: Context, start: RunStart): Promise<StartedRun> {
  requireRoom(context);
  const { account, run, requested, payload, invoker = null } = start;
  const { createdAt: at } = run;
  const content = { kind: "payload", body: payload } as const;
  return context.dailyQuota.within(account, 1, async () => {
    const answer = await storeFirst(context, start, content, (nodeId) => {
      return { rule: "start-run", at, run, payload, requested, nodeId, invoker };
    });
    // A name that was taken is told to the step that waits, through its line.
    if (invoker !== null && answer.deduplicated) context.bell.ring();
    return answer;
  });
}

/** The endpoint has answered with its own settings, which replace those of the trigger. */
export function restartFirstStep(context: Context, start: RunStart): Promise<StartedRun> {
  const { run, requested } = start;
  const { accountId, runId, createdAt: at } = run;
  return storeFirst(context, start, null, (nodeId) => {
    return { rule: "restart-first-step", at, ref: { accountId, runId }, requested, nodeId };
  });
}

/** Stores the first message of a run, and hands it over when it is leased to this node. */
async function storeFirst(
  context: Context,
  { account, requested }: RunStart,
  content: Content | null,
  actOf: (nodeId: string | null) => StartRunAct | RestartFirstStepAct,
): Promise<StartedRun> {
  const slot = reserveSlot(context, account, requested);
  const answer = await storeReserved([slot], () => context.store.act(actOf(slot?.nodeId ?? null)));
  if (answer.kind !== "started") {
    handOver(context, [slot], []);
    throw refused(answer);
  }
  handOver(context, [slot], [outcomeOf(context, answer, requested, content)]);
  return answer;
}

const EVERY_FEATURE: RunFeatures = {
  lazyFetch: true,
  detectTrigger: true,
  inheritsSettings: true,
};
const RUN_ID_CHARACTERS = 21;
const INVOKE_DEPTH_MAX = 100;
const NOTHING = new Uint8Array(0);
