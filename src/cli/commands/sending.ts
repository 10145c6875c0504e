import type { Publish, PublishAnswer } from "../../../sdk/src/client/publish.ts";
import { CommandError } from "../command-error.ts";
import { type Handlers, type Invocation, word } from "../invocation.ts";
import { plain } from "../terminal/output.ts";
import { bodyOf, messageSettings, textBodyOf } from "./message-options.ts";

/** Commands that send a message or an event. */
export const HANDLERS: Handlers = {
  publish: async (invocation) => {
    await sent(invocation, await invocation.client.publish(messageOf(invocation, 0)));
  },
  enqueue: async (invocation) => {
    const queue = invocation.client.queue(word(invocation, 0));
    await sent(invocation, await queue.enqueue(messageOf(invocation, 1)));
  },
  notify: async ({ client, output, flags, ...invocation }) => {
    const runId = flags.text("run");
    const options = runId === undefined ? {} : { workflowRunId: runId };
    const notified = await client.workflow.notify(word(invocation, 0), textBodyOf(flags), options);
    const count = notified.length;
    output.ids(notified.map(({ workflowRunId }) => workflowRunId));
    output.one(notified, () =>
      count === 0
        ? "No run waits for this event."
        : `${count} ${count === 1 ? "run is" : "runs are"} notified: ${notified.map(({ workflowRunId }) => plain(workflowRunId)).join(", ")}`,
    );
  },
};

/** A URL, or the name of a URL group. */
function messageOf(invocation: Invocation, index: number): Publish {
  const destination = word(invocation, index);
  const { flags } = invocation;
  const message = { ...messageSettings(flags), body: bodyOf(flags) };
  return destination.includes("://")
    ? { url: destination, ...message }
    : { urlGroup: destination, ...message };
}

async function sent({ client, output, flags }: Invocation, answer: PublishAnswer): Promise<void> {
  const messages = Array.isArray(answer) ? (answer as readonly Sent[]) : [answer as Sent];
  const waits = flags.is("wait");
  for (const { messageId, url, deduplicated } of messages) {
    const note = deduplicated === true ? "  a duplicate: nothing was sent" : "";
    const shown = messages.length === 1 ? "" : `  ${url}`;
    const text = (): string => plain(`${messageId}${shown}${note}`);
    // A program that waits gets each message once, as it ended.
    if (!waits || output.mode !== "json")
      output.item({ messageId, url, deduplicated }, text, messageId);
  }
  if (!waits) return;
  const ended = await Promise.all(
    messages.map(({ messageId }) => client.messages.wait(messageId, { timeout: WAIT })),
  );
  for (const message of ended) {
    output.json(message);
    output.text(`${plain(`${message.messageId}  ${message.state}`)}\n`);
  }
  const failed = ended.filter(({ state }) => state !== "DELIVERED");
  if (failed.length === 0) return;
  const [{ messageId, state, error, responseStatus } = failed[0]!] = failed;
  const reason = error ?? (responseStatus === undefined ? "" : `status ${responseStatus}`);
  throw new CommandError(`${messageId} is ${state}${reason && `: ${reason}`}`, 6);
}

interface Sent {
  readonly messageId: string;
  readonly url: string;
  readonly deduplicated?: boolean;
}

/** As long as retries can take; Ctrl-C ends it sooner. */
const WAIT = "30d";
