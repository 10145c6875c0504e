import type { Queue } from "../../../sdk/src/answers/line.ts";
import { confirm } from "../terminal/ask-person.ts";
import { type Handlers, word } from "../invocation.ts";
import { type Columns, factLines, plain } from "../terminal/output.ts";
import { timeText } from "../terminal/time-text.ts";
import { limitOf } from "./filter-options.ts";

export const HANDLERS: Handlers = {
  "queues list": async ({ client, output, flags }) => {
    await output.list(await client.queues.list(), QUEUES, limitOf(flags));
  },
  "queues set": async ({ client, output, flags, ...invocation }) => {
    const parallelism = flags.number("parallelism");
    await client.queue(word(invocation, 0)).upsert({
      ...(parallelism === undefined ? {} : { parallelism }),
      ...(flags.is("paused") ? { paused: true } : {}),
    });
    output.done("The queue is set.");
  },
  "queues show": async ({ client, output, ...invocation }) => {
    const queue = await client.queue(word(invocation, 0)).get();
    const text = (): string =>
      factLines({
        queue: queue.name,
        state: queue.paused ? "paused" : "active",
        parallelism: queue.parallelism,
        messages: queue.lag,
        created: timeText(queue.createdAt),
        changed: timeText(queue.updatedAt),
      });
    output.one(queue, text, queue.name);
  },
  "queues pause": async ({ client, output, ...invocation }) => {
    await client.queue(word(invocation, 0)).pause();
    output.done("The queue is paused.");
  },
  "queues resume": async ({ client, output, ...invocation }) => {
    await client.queue(word(invocation, 0)).resume();
    output.done("The queue is resumed.");
  },
  "queues delete": async ({ client, output, flags, ...invocation }) => {
    const queue = client.queue(word(invocation, 0));
    const { lag } = await queue.get();
    await confirm(`delete the queue ${plain(queue.name)} and cancel its ${lag} messages`, flags);
    await queue.delete();
    output.done("The queue is deleted.");
  },
};

const QUEUES: Columns<Queue> = {
  QUEUE: ({ name }) => name,
  STATE: ({ paused }) => (paused ? "paused" : "active"),
  PARALLELISM: ({ parallelism }) => parallelism,
  MESSAGES: ({ lag }) => lag,
};
