import type { RunRef } from "../../core/model/workflow/run.ts";
import type { Account } from "../../core/model/account/account.ts";
import type { DialectChoice, HeaderList, Message } from "../../core/model/message/message.ts";
import type { ShownWaiter, Waiter, WaiterKey } from "../../core/model/workflow/waiter.ts";
import { Problem } from "../../core/problem.ts";
import { requireWithin } from "../../core/policy/limits/limits.ts";
import { STORED_EVENTS_MAX, type NotifyAnswer } from "../../core/rules/workflow/waits.ts";
import { rawHeadersOf } from "../../wire/headers/header-text.ts";
import { readPublishOptions } from "../../wire/message/publish.ts";
import type { WaitRequest } from "../../wire/workflow/wait.ts";
import type { WorkflowHeaders } from "../../wire/workflow/workflow-headers.ts";
import type { Context } from "../context.ts";
import { handOver, storeReserved } from "../hand-over.ts";
import { outcomeOf, reserveSlot } from "./run-hand-over.ts";
import { requestedMessage } from "./run-message.ts";
import { runNotFound } from "./runs.ts";
import { refused } from "./submissions.ts";

const NOTHING = new Uint8Array(0);

interface WaitCall {
  readonly account: Account;
  readonly eventId: string;
  readonly workflow: WorkflowHeaders;
  readonly rawHeaders: readonly string[];
  readonly request: WaitRequest;
  readonly callerIp: string;
}

/** A step of a run waits for an event; returns the id of the wait's entry. */
export async function waitForEvent(context: Context, call: WaitCall): Promise<string> {
  const { account, eventId, workflow, request } = call;
  const at = context.clock.now();
  const { timeoutMs, step } = request;
  const { delayMsMax } = account.limits;
  if (timeoutMs > delayMsMax) {
    requireWithin("maxDelay", Math.ceil(timeoutMs / 1_000), delayMsMax / 1_000);
  }
  const notified = messageOf(context, call, request.url, call.rawHeaders, at);
  const timeoutHeaders =
    request.timeoutHeaders === null ? call.rawHeaders : rawHeadersOf(request.timeoutHeaders);
  const timedOut = messageOf(
    context,
    call,
    request.timeoutUrl,
    timeoutHeaders,
    at,
    notified.dialect,
  );
  const waiter = {
    accountId: account.accountId,
    runId: workflow.runId,
    eventId,
    stepId: step.stepId,
    messageId: context.ids.sortable("msg_", at),
    deadlineAt: at + timeoutMs,
    step,
    notified,
    timedOut,
    shown: shownOf(call),
  };
  const { accountId, runId } = waiter;
  const ref = { accountId, runId, createdAt: workflow.createdAt };
  const slot = reserveSlot(context, account, notified);
  const { messageId: resultId } = notified;
  const nodeId = slot?.nodeId ?? null;
  const answer = await storeReserved([slot], () =>
    context.store.act({ rule: "wait", at, ref, waiter, resultId, nodeId }),
  );
  const leased = answer.kind === "waiting" && answer.leased;
  const stored = { messageId: resultId, leased, deduplicated: false };
  handOver(context, [slot], [outcomeOf(context, stored, notified, null)]);
  if (answer.kind !== "waiting") throw refused(answer);
  return answer.messageId;
}

function messageOf(
  context: Context,
  { account, callerIp }: WaitCall,
  url: string,
  rawHeaders: readonly string[],
  at: number,
  defaultDialect?: DialectChoice,
): Message {
  const options = readPublishOptions(rawHeaders, [], { defaultDialect });
  const asked = { account, url, urlField: "url", options, body: NOTHING, callerIp, at };
  return requestedMessage(context, asked);
}

function shownOf({ rawHeaders, request }: WaitCall): ShownWaiter {
  return {
    url: request.url,
    headers: requestedHeaders(rawHeaders),
    timeoutUrl: request.timeoutUrl,
    timeoutHeaders: request.timeoutHeaders ?? undefined,
    timeoutBody: request.timeoutBody,
  };
}

/** The headers of a request that belong to the requested message. */
function requestedHeaders(rawHeaders: readonly string[]): HeaderList {
  const headers: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (OWN_NAME.test(name)) headers.push([name, rawHeaders[index + 1] ?? ""]);
  }
  return headers;
}

type Notified = NotifyAnswer["notified"][number];

/** Delivers an event to all steps that wait for it now; later waits do not get it. */
export async function notifyAll(
  context: Context,
  accountId: string,
  eventId: string,
  body: Uint8Array,
): Promise<readonly Notified[]> {
  const { store, ids, clock, bell } = context;
  // Ids are generated in the order of time, so a later wait has a greater one.
  const before = ids.sortable("msg_", clock.now());
  const count = Math.max(1, Math.min(PAGE_COUNT, Math.floor(PAGE_BYTES / (body.byteLength + 1))));
  const notified: Notified[] = [];
  let after: WaiterKey | null = null;
  for (;;) {
    const page: readonly Waiter[] = await store.reader.waiters.forEvent(
      accountId,
      eventId,
      after,
      count,
    );
    const waiters = page.filter(({ messageId }) => messageId < before);
    if (waiters.length > 0) {
      const at = clock.now();
      const messageIds = waiters.map(() => ids.sortable("msg_", at));
      const refs = distinctRuns(waiters);
      const call = { rule: "notify", at, eventId, body, refs, messageIds, before } as const;
      notified.push(...(await store.act({ ...call, isKept: false, isHook: false })).notified);
      bell.ring();
    }
    if (page.length < count) return notified;
    after = page.at(-1) ?? null;
  }
}

/** Delivers an event to one run. If no step waits for it now, the next wait takes it. */
export async function notifyRun(
  context: Context,
  ref: RunRef,
  eventId: string,
  body: Uint8Array,
): Promise<readonly Notified[]> {
  const { notified, refused: count } = await notifyOne(context, ref, eventId, body, false);
  if (count === 0) return notified;
  const stored = await context.store.reader.runs.get(ref);
  const next = stored?.state.failure?.followedBy;
  if (next !== undefined) return notifyRun(context, { ...ref, ...next }, eventId, body);
  if (stored?.state.phase !== "started") throw runNotFound(ref);
  throw tooManyEvents();
}

/** Delivers an event to the steps of one run that wait for it, or stores it for the next. */
export async function notifyOne(
  { store, ids, clock, bell }: Context,
  ref: RunRef,
  eventId: string,
  body: Uint8Array,
  isHook: boolean,
): Promise<NotifyAnswer> {
  const at = clock.now();
  const messageIds = Array.from({ length: WAITERS_OF_RUN_MAX }, () => ids.sortable("msg_", at));
  const act = { rule: "notify", at, eventId, body, refs: [ref], messageIds } as const;
  const answer = await store.act({ ...act, before: null, isKept: true, isHook });
  if (answer.notified.length > 0) bell.ring();
  return answer;
}

export function tooManyEvents(): Problem {
  const limit = `current limit: ${STORED_EVENTS_MAX}`;
  return new Problem("quota-exceeded", `quota maxStoredEvents exceeded, ${limit}`);
}

/** The waiters for an event; a bounded number, read a page at a time. */
export async function listWaiters(
  { store }: Context,
  accountId: string,
  eventId: string,
): Promise<readonly Waiter[]> {
  const waiters: Waiter[] = [];
  while (waiters.length < LISTED_MAX) {
    const after = waiters.at(-1) ?? null;
    const page = await store.reader.waiters.forEvent(accountId, eventId, after, PAGE_COUNT);
    waiters.push(...page);
    if (page.length < PAGE_COUNT) break;
  }
  return waiters;
}

function distinctRuns(waiters: readonly Waiter[]): RunRef[] {
  const runs = new Map(
    waiters.map(({ accountId, runId, createdAt }) => [
      `${runId}\0${createdAt}`,
      { accountId, runId, createdAt },
    ]),
  );
  return [...runs.values()];
}

const OWN_NAME = /^(?:svc|upstash)-|^content-type$/i;
const PAGE_COUNT = 100;
const PAGE_BYTES = 4 * 1024 * 1024;
/** Waits of one run that an event reaches. */
const WAITERS_OF_RUN_MAX = 100;
const LISTED_MAX = 1_000;
