import { isWebhookWait } from "../../core/model/workflow/run.ts";
import { Problem } from "../../core/problem.ts";
import {
  listWaiters,
  notifyAll,
  notifyRun,
  waitForEvent,
} from "../../operations/workflow/waits.ts";
import { prefixErrors } from "../../wire/headers/header-value.ts";
import { decodePath, readEventId } from "../../wire/workflow/run-path.ts";
import { asStepError, asStepErrorAsync } from "../../wire/workflow/step.ts";
import { notifiedJson, readWaitRequest, waiterJson } from "../../wire/workflow/wait.ts";
import { parseRunId, readWorkflowHeaders } from "../../wire/workflow/workflow-headers.ts";
import { type Answer, json } from "../http/answers/answer.ts";
import type { AccountCall, Api } from "../http/server/call.ts";

/** The request of an endpoint whose workflow waits: a malformed one is a fault of the step. */
export async function waitFor({ context, callerIp }: Api, call: AccountCall): Promise<Answer> {
  const { account } = call;
  const { rawHeaders } = call.request;
  const body = await asStepErrorAsync(() => call.body.read(BODY_BYTES_MAX));
  const waiting = asStepError(() => {
    const workflow = readWorkflowHeaders(rawHeaders);
    if (workflow === null) throw new Problem("invalid-request", "Workflow-RunId: is missing");
    const request = readWaitRequest(body);
    const eventId = readEventId(pathOf(call.rest));
    return { account, eventId, workflow, rawHeaders, request, callerIp: callerIp(call.request) };
  });
  return json(200, { messageId: await asStepErrorAsync(() => waitForEvent(context, waiting)) });
}

/** `/v2/notify/{event}` notifies all waiters, `/v2/notify/{run}/{event}` one run. */
export async function notify({ context }: Api, call: AccountCall): Promise<Answer> {
  const { accountId, limits } = call.account;
  const path = pathOf(call.rest);
  const slashAt = path.indexOf("/");
  const body = await call.body.read(limits.messageBytesMax);
  if (slashAt < 0 || slashAt === path.length - 1) {
    return answered(await notifyAll(context, accountId, readEventId(path), body));
  }
  const runId = prefixErrors("workflowRunId", () => parseRunId(decodePath(path.slice(0, slashAt))));
  const eventId = readEventId(path.slice(slashAt + 1));
  return answered(await notifyRun(context, { accountId, runId }, eventId, body));
}

export async function showWaiters({ context }: Api, call: AccountCall): Promise<Answer> {
  const { isReadOnly } = call.access;
  const waiters = await listWaiters(context, call.accountId, readEventId(pathOf(call.rest)));
  // To a read-only token, the list must not tell that it has guessed the id of a webhook.
  const shown = isReadOnly ? waiters.filter(({ step }) => !isWebhookWait(step)) : waiters;
  return json(200, shown.map(waiterJson));
}

function answered(notified: Awaited<ReturnType<typeof notifyAll>>): Answer {
  return json(
    200,
    notified.map(({ waiter, messageId }) => notifiedJson(waiter, messageId)),
  );
}

function pathOf(rest: string): string {
  const questionAt = rest.indexOf("?");
  return questionAt < 0 ? rest : rest.slice(0, questionAt);
}

const BODY_BYTES_MAX = 256 * 1024;
