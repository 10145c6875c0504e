import type { DeadLetter } from "../../../sdk/src/answers/dead-letter.ts";
import type { DeadLetterFilter } from "../../../sdk/src/client/filters.ts";
import type { Selection } from "../../../sdk/src/selection.ts";
import { CommandError } from "../command-error.ts";
import type { Handlers, Invocation } from "../invocation.ts";
import { type Columns, counted } from "../output.ts";
import { timeText } from "../time-text.ts";
import { changeMany, selectionOf } from "./again.ts";
import { deadLetterFilter, limitOf, pageCount } from "./filter-options.ts";
import { findIds } from "./found-ids.ts";

export const HANDLERS: Handlers = {
  "dlq list": async ({ client, output, flags }) => {
    const limit = limitOf(flags);
    const query = { ...deadLetterFilter(flags), count: pageCount(limit) };
    await output.list(await client.dlq.list(query), LETTERS, limit);
  },
  "dlq groups": async ({ client, output }) => {
    await output.list(await client.dlq.groups(), {
      CAUSE: ({ cause }) => cause,
      STATUS: ({ responseStatus }) => responseStatus,
      COUNT: ({ count }) => count,
      FIRST: ({ firstAt }) => timeText(firstAt),
      LAST: ({ lastAt }) => timeText(lastAt),
    });
  },
  "dlq retry": async (invocation) => {
    const { client, flags } = invocation;
    await change(invocation, "send again", async (selection) => {
      const options = { over: flags.text("over") };
      const { responses } = await client.dlq.retry(selection, {}, options);
      return {
        count: responses.length,
        sentence: `${counted(responses.length, "dead letter")} sent again.`,
      };
    });
  },
  "dlq delete": async (invocation) => {
    await change(invocation, "delete", async (selection) => {
      const { deleted } = await invocation.client.dlq.delete(selection);
      return { count: deleted, sentence: `${counted(deleted, "dead letter")} deleted.` };
    });
  },
};

async function change(
  invocation: Invocation,
  verb: string,
  make: (selection: Selection<DeadLetterFilter>) => Promise<{ count: number; sentence: string }>,
): Promise<void> {
  const { client, flags, words } = invocation;
  const selection =
    words.length > 0 ? await lettersOf(invocation) : selectionOf(deadLetterFilter(flags), flags);
  await changeMany(invocation, {
    selection,
    verb,
    noun: "dead letter",
    count: (some) => client.dlq.count(some),
    change: make,
  });
}

/** By their own ids, or by those of their messages. */
async function lettersOf({ client, words }: Invocation): Promise<string[]> {
  const ids: string[] = [];
  for (const { kind, id } of await findIds(client, words)) {
    if (kind === "run")
      throw new CommandError(`${id} is a run; postrider runs resume continues it`);
    const dlqId = kind === "message" ? (await client.messages.get(id)).dlqId : id;
    if (dlqId === undefined) throw new CommandError(`the message ${id} has not failed`);
    ids.push(dlqId);
  }
  return ids;
}

const LETTERS: Columns<DeadLetter> = {
  "DEAD LETTER": ({ dlqId }) => dlqId,
  MESSAGE: ({ messageId }) => messageId,
  CREATED: ({ createdAt }) => timeText(createdAt),
  STATUS: ({ responseStatus }) => responseStatus,
  "SENT TO": ({ method, url }) => `${method} ${url}`,
  CAUSE: ({ cause }) => cause,
};
