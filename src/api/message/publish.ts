import type { PublishAnswer } from "../../core/rules/message/publish.ts";
import type { PublishOptions } from "../../core/model/message/publish-options.ts";
import { dialectOf } from "../../operations/context.ts";
import { requireTarget } from "../../operations/message/destinations.ts";
import type { Target } from "../../core/rules/message/compose.ts";
import { type BatchAnswer, publishBatch as publishAll } from "../../operations/message/batch.ts";
import { publish } from "../../operations/message/messages.ts";
import { bodyBytesMax, type WorkflowRequest } from "../../operations/workflow/submissions.ts";
import { actOnWorkflow, readWorkflowMessage } from "../../operations/workflow/workflow.ts";
import { readBatchDialect } from "../../wire/headers/header-reading.ts";
import { readBatch } from "../../wire/message/batch.ts";
import { readDestination } from "../../wire/message/destination.ts";
import type { Json } from "../../wire/message/message.ts";
import { readPublishOptions } from "../../wire/message/publish.ts";
import { asStepErrorAsync } from "../../wire/workflow/step.ts";
import { readWorkflowHeaders } from "../../wire/workflow/workflow-headers.ts";
import { type Answer, json } from "../http/answers/answer.ts";
import { problemJson } from "../http/answers/problem-answer.ts";
import type { AccountCall, Api } from "../http/server/call.ts";

export async function acceptMessage(
  api: Api,
  call: AccountCall,
  queueName: string | undefined,
): Promise<Answer> {
  const { context } = api;
  const { account } = call;
  const { destination, aliases } = readDestination(call.rest);
  const workflow = readWorkflowHeaders(call.request.rawHeaders);
  if (workflow !== null) {
    const bytesMax = bodyBytesMax(account, workflow);
    const body = await asStepErrorAsync(() => call.body.read(bytesMax));
    return acceptForRun(api, call, { url: destination, aliases, workflow, body });
  }
  const found = requireTarget(context, account.accountId, destination);
  const target = found instanceof Promise ? await found : found;
  const options = readPublishOptions(call.request.rawHeaders, aliases, {
    call: queueName === undefined ? "publish" : "enqueue",
    defaultDialect: dialectOf(context, account),
    retriesDefault: account.limits.retriesDefault,
    groupHeaders: target.groupHeaders,
  });
  const body = await call.body.read(account.limits.messageBytesMax);
  const callerIp = api.callerIp(call.request);
  const request = { account, target, queueName, options, body, callerIp };
  return publishedTo(target, await publish(context, request));
}

/** An object for a URL, a list for a URL group. */
export function publishedTo(target: Target, answers: readonly PublishAnswer[]): Answer {
  return target.urlGroup === undefined
    ? published(answers[0]!, target.endpoints[0]!.url)
    : publishedToAll(target, answers);
}

/** A publish by the endpoint of a workflow, or one that starts a run. */
async function acceptForRun(
  { context, callerIp }: Api,
  { request, account }: AccountCall,
  sent: Pick<WorkflowRequest, "url" | "aliases" | "workflow" | "body">,
): Promise<Answer> {
  const { rawHeaders } = request;
  const at = context.clock.now();
  const given = { account, rawHeaders, callerIp: callerIp(request), at };
  const message = readWorkflowMessage(context, { ...given, ...sent });
  const [answer] = await actOnWorkflow(context, account, [message], at);
  if ("problem" in answer!) throw answer.problem;
  return json(200, acceptedJson(answer!));
}

/** Ids hold no character that JSON would have to escape. */
export function published({ messageId, deduplicated }: PublishAnswer, url: string): Answer {
  const shown = `{"messageId":"${messageId}","url":${JSON.stringify(url)}`;
  return deduplicated
    ? { status: 202, body: `${shown},"deduplicated":true}` }
    : { status: 200, body: `${shown}}` };
}

/** 202 only when no endpoint got a new message. */
function publishedToAll(target: Target, answers: readonly PublishAnswer[]): Answer {
  const isNew = answers.some(({ deduplicated }) => !deduplicated);
  return json(isNew ? 200 : 202, groupJson(target, answers));
}

/** The response to a publish to a group: an element for each endpoint. */
export function groupJson({ endpoints }: Target, answers: readonly PublishAnswer[]): Json[] {
  return answers.map((answer, index) => acceptedJson(answer, endpoints[index]!.url));
}

/** The response for one message; a message of a run has no URL in it. */
export function acceptedJson({ messageId, deduplicated }: PublishAnswer, url?: string): Json {
  return { messageId, url, deduplicated: deduplicated ? true : undefined };
}

/**
 * Headers of a retry replace those of the message; those that describe the request's own body do
 * not.
 */
export function overridesOf({ request, account }: AccountCall): PublishOptions {
  const { rawHeaders } = request;
  const given: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (!/^content-/i.test(name)) given.push(name, rawHeaders[index + 1]!);
  }
  const { retriesDefault } = account.limits;
  // What is sent again keeps its dialect.
  return readPublishOptions(given, [], { retriesDefault, call: "retry" });
}

/** Always an array, item by item: an object, an array for a group, or why the item was refused. */
export async function publishBatch(api: Api, call: AccountCall): Promise<Answer> {
  const { context } = api;
  const { account } = call;
  const items = readBatch(await call.body.read(context.storedBytesMax));
  const callerIp = api.callerIp(call.request);
  const dialect = readBatchDialect(call.request.rawHeaders);
  const answers = await publishAll(context, { account, items, callerIp, dialect });
  return json(answers.length > 0 && answers.every(isEnded) ? 400 : 200, answers.map(answerJson));
}

/** Clients of workflows learn from the status that their run accepts nothing more. */
function isEnded(answer: BatchAnswer): boolean {
  return "workflow" in answer && "problem" in answer.workflow;
}

function answerJson(answer: BatchAnswer): Json | readonly Json[] {
  if ("problem" in answer) return problemJson(answer.problem);
  if ("workflow" in answer) {
    const { workflow } = answer;
    return "problem" in workflow ? problemJson(workflow.problem) : acceptedJson(workflow);
  }
  const group = groupJson(answer.target, answer.answers);
  return answer.target.urlGroup === undefined ? group[0]! : group;
}
