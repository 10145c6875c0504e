import type { DeadLetter } from "../../../sdk/src/answers/dead-letter.ts";
import type { DeadLetterFilter } from "../../../sdk/src/client/filters.ts";
import { CommandError } from "../command-error.ts";
import type { Handlers, Invocation } from "../invocation.ts";
import { type Columns, counted } from "../terminal/output.ts";
import { timeText } from "../terminal/time-text.ts";
import { type Change, changeMany, requireIdsAlone, selectionOf } from "./again.ts";
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
    const { client, flags, output } = invocation;
    await change(invocation, {
      verb: "send again",
      change: async (selection) => {
        const options = { over: flags.text("over") };
        const { responses, cursor } = await client.dlq.retry(selection, {}, options);
        output.ids(responses.map(({ messageId }) => messageId));
        return { count: responses.length, cursor };
      },
      sentence: (count) => `${counted(count, "dead letter")} sent again.`,
    });
  },
  "dlq delete": async (invocation) => {
    await change(invocation, {
      verb: "delete",
      change: async (selection) => {
        const { deleted, cursor } = await invocation.client.dlq.delete(selection);
        return { count: deleted, cursor };
      },
      sentence: (count) => `${counted(count, "dead letter")} deleted.`,
    });
  },
};

async function change(
  invocation: Invocation,
  parts: Pick<Change<DeadLetterFilter>, "verb" | "change" | "sentence">,
): Promise<void> {
  const { client, flags, words } = invocation;
  const filter = deadLetterFilter(flags);
  if (words.length > 0) requireIdsAlone(filter, flags);
  const selection = words.length > 0 ? await lettersOf(invocation) : selectionOf(filter, flags);
  await changeMany(invocation, {
    ...parts,
    selection,
    noun: "dead letter",
    count: (some) => client.dlq.count(some),
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
