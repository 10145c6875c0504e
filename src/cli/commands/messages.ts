import type { LogEntry, Message } from "../../../sdk/src/answers/message.ts";
import type { LogState } from "../../../sdk/src/answers/words.ts";
import type { LogFilter } from "../../../sdk/src/client/filters.ts";
import type { Handlers, Invocation } from "../invocation.ts";
import { type Columns, endsWithReader, plain } from "../terminal/output.ts";
import { timeText } from "../terminal/time-text.ts";
import { limitOf, messageFilter, pageCount } from "./filter-options.ts";

export const HANDLERS: Handlers = {
  messages: async (invocation) => {
    const { output, flags } = invocation;
    await output.list(messages(invocation), MESSAGES, limitOf(flags));
  },
  logs: async ({ client, output, flags }) => {
    const filter = { ...messageFilter(flags), state: statesOf(flags.texts("state")) } as LogFilter;
    if (flags.is("follow")) {
      endsWithReader();
      for await (const entry of client.logs.tail(filter)) {
        output.item(entry, () => entryLine(entry), entry.messageId);
      }
      return;
    }
    const limit = limitOf(flags);
    await output.list(
      await client.logs.list({ ...filter, count: pageCount(limit) }),
      ENTRIES,
      limit,
    );
  },
};

type Shown = Message | LogEntry;

/** A log entry is the newest of its message if none of that message came before it. */
async function* messages({ client, flags }: Invocation): AsyncGenerator<Shown> {
  const states = statesOf(flags.texts("state"));
  const filter = messageFilter(flags);
  const count = pageCount(limitOf(flags));
  const open = states?.filter((state) => OPEN.has(state)) ?? [];
  if (open.length > 0) {
    for await (const message of await client.messages.list({ ...filter, count: PAGE })) {
      if (open.includes(message.state)) yield message;
    }
  }
  const ended = states?.filter((state) => !OPEN.has(state));
  if (ended?.length === 0) return;
  const known = new Set<string>();
  const query = { ...filter, ...(ended === undefined ? {} : { state: ended }) } as LogFilter;
  for await (const entry of await client.logs.list({
    ...query,
    count: ended === undefined ? PAGE : count,
  })) {
    if (known.has(entry.messageId)) continue;
    known.add(entry.messageId);
    yield entry;
  }
}

function statesOf(given: readonly string[] | undefined): readonly LogState[] | undefined {
  return given?.flatMap((text) => text.toUpperCase().split(",")) as LogState[] | undefined;
}

const createdOf = (shown: Shown): number => ("time" in shown ? shown.time : shown.createdAt);

const MESSAGES: Columns<Shown> = {
  MESSAGE: ({ messageId }) => messageId,
  STATE: ({ state }) => state,
  TIME: (shown) => timeText(createdOf(shown)),
  "SENT TO": ({ method, url }) => `${method} ${url}`,
  THROUGH: ({ queueName, flowControlKey, scheduleId, topicName }) =>
    [queueName, flowControlKey, scheduleId, topicName].filter(Boolean).join(" "),
  LABELS: ({ labels }) => labels?.join(","),
};

const ENTRIES: Columns<LogEntry> = {
  MESSAGE: ({ messageId }) => messageId,
  TIME: ({ time }) => timeText(time),
  STATE: ({ state }) => state,
  STATUS: ({ responseStatus }) => responseStatus,
  MS: ({ attemptDurationMs }) => attemptDurationMs,
  "SENT TO": ({ method, url }) => `${method} ${url}`,
  ERROR: ({ error }) => error,
};

function entryLine(entry: LogEntry): string {
  const { messageId, time, state, responseStatus, attemptDurationMs, method, url, error } = entry;
  const answer = responseStatus === undefined ? "" : `  ${responseStatus || "–"}`;
  const took = attemptDurationMs === undefined ? "" : `  ${attemptDurationMs} ms`;
  const next =
    entry.nextDeliveryTime === undefined ? "" : `  next ${timeText(entry.nextDeliveryTime)}`;
  const why = error === undefined ? "" : `  ${error}`;
  return plain(
    `${timeText(time)}  ${messageId}  ${state.padEnd(STATE_WIDTH)}  ${method} ${url}${answer}${took}${next}${why}`,
  );
}

/** Asked of the list of messages that have not ended: a log entry does not say what came after it. */
const OPEN: ReadonlySet<LogState> = new Set<LogState>(["CREATED", "ACTIVE", "RETRY"]);
const STATE_WIDTH = 9;
const PAGE = 100;
