import type { DeadLetter } from "../../../sdk/src/answers/dead-letter.ts";
import type { LogEntry, Message } from "../../../sdk/src/answers/message.ts";
import type { Run } from "../../../sdk/src/answers/workflow.ts";
import type { Client } from "../../../sdk/src/client/client.ts";
import { CommandError } from "../command-error.ts";
import { type Handlers, type Invocation, serverNow, word } from "../invocation.ts";
import { factLines, plain, plainText } from "../terminal/output.ts";
import { durationText, timeText } from "../terminal/time-text.ts";
import { findId } from "./found-ids.ts";
import { endLine, stepLines } from "./run-steps.ts";
import { waitingText } from "./waiting-words.ts";

export const HANDLERS: Handlers = {
  show: async (invocation) => {
    const { kind, id } = await findId(invocation.client, word(invocation, 0));
    if (kind === "run") return showRun(invocation, id);
    if (kind === "dead-letter") return showDeadLetter(invocation, id);
    return showMessage(invocation, id);
  },
};

async function showMessage({ client, output, connection }: Invocation, id: string): Promise<void> {
  const [message, entries] = await Promise.all([client.messages.get(id), entriesOf(client, id)]);
  const text = (): string => messageText(message, entries, connection.url);
  output.one({ ...message, log: entries }, text, id);
}

/** A message with its attempts, for people. */
export async function showText(client: Client, url: string, messageId: string): Promise<string> {
  const message = await client.messages.get(messageId);
  return messageText(message, await entriesOf(client, messageId), url);
}

function messageText(message: Message, entries: readonly LogEntry[], url: string): string {
  return [
    factLines({ ...factsOf(message), page: `${url}/messages/${message.messageId}` }),
    ...attemptLines(entries),
    ...bodyLines(message),
  ].join("\n");
}

async function showDeadLetter({ client, output }: Invocation, id: string): Promise<void> {
  const letter = await client.dlq.get(id);
  const entries = await entriesOf(client, letter.messageId);
  const text = (): string =>
    [
      factLines({
        "dead letter": id,
        ...commonFacts(letter),
        failed: `${letter.cause} (status ${letter.responseStatus})`,
        error: letter.error,
      }),
      ...attemptLines(entries),
      ...bodyLines(letter),
    ].join("\n");
  output.one({ ...letter, log: entries }, text, id);
}

async function showRun({ client, output, connection }: Invocation, id: string): Promise<void> {
  const run = await client.workflow.get(id);
  if (run === undefined) throw new CommandError(`there is no run ${id}`, 5);
  output.one(run, () => runText(run, connection.url), id);
}

function runText(run: Run, url: string): string {
  const { workflowRunId, workflowUrl, workflowRunCreatedAt, workflowState, dlqId } = run;
  const isOver = workflowState !== "RUN_STARTED";
  return [
    factLines({
      run: workflowRunId,
      state: isOver ? undefined : workflowState,
      workflow: workflowUrl,
      started: timeText(workflowRunCreatedAt),
      labels: run.labels?.join(", "),
      "dead letter": dlqId,
      result: run.workflowRunResponse,
      page: `${url}/runs/${encodeURIComponent(workflowRunId)}`,
    }),
    ...stepLines(run, serverNow()),
    ...(isOver ? [`  ${endLine(run)}`] : []),
  ].join("\n");
}

/** From the first entry on; the last 1,000 of a message with more. */
async function entriesOf(client: Client, messageId: string): Promise<readonly LogEntry[]> {
  const { items } = await client.logs.list({ messageId, count: ENTRIES_MAX });
  return items.toReversed();
}

function factsOf(message: Message): Readonly<Record<string, unknown>> {
  const { messageId, state, waiting, error, responseStatus, dlqId } = message;
  return {
    message: messageId,
    state,
    waits: waiting === undefined ? undefined : waitingText(waiting, serverNow()),
    failed: error ?? (state === "FAILED" ? `status ${responseStatus ?? 0}` : undefined),
    "dead letter": dlqId,
    ...commonFacts(message),
    "callback of": message.sourceMessageId,
  };
}

function commonFacts(shown: Message | DeadLetter): Readonly<Record<string, unknown>> {
  return {
    "sent to": `${shown.method} ${shown.url}`,
    group: shown.topicName,
    queue: shown.queueName,
    key: shown.flowControlKey,
    schedule: shown.scheduleId,
    labels: shown.labels?.join(", "),
    created: timeText(shown.createdAt),
    "not before": shown.notBefore > shown.createdAt ? timeText(shown.notBefore) : undefined,
    retries: shown.maxRetries,
    callback: shown.callback,
    "failure callback": shown.failureCallback,
  };
}

function attemptLines(entries: readonly LogEntry[]): string[] {
  const attempts = entries.filter(
    ({ attempt, state }) => attempt !== undefined && state !== "ACTIVE",
  );
  return attempts.map((entry) => {
    const { attempt, time, responseStatus, attemptDurationMs, state, error } = entry;
    const took = attemptDurationMs === undefined ? "" : `  ${durationText(attemptDurationMs)}`;
    const next =
      entry.nextDeliveryTime === undefined ? "" : `  next ${timeText(entry.nextDeliveryTime)}`;
    const why = error === undefined ? "" : `  ${error}`;
    return plain(
      `  attempt ${attempt}  ${timeText(time)}  ${responseStatus || "–"}${took}  ${state}${next}${why}`,
    );
  });
}

function bodyLines(shown: Message | DeadLetter): string[] {
  const { body, bodyBase64 } = shown;
  if (bodyBase64 !== undefined)
    return ["", `(a body of ${bodyBase64.length} characters in base64)`];
  if (body === undefined || body === "") return [];
  const cut = body.length > BODY_MAX ? `${body.slice(0, BODY_MAX)}…` : body;
  return ["", plainText(cut)];
}

const ENTRIES_MAX = 1_000;
const BODY_MAX = 2_000;
