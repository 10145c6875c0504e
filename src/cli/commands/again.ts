/** Commands that change messages and runs: one by its id, or many by a filter. */
import type { BulkCount } from "../../../sdk/src/client/bulk-count.ts";
import type { Client } from "../../../sdk/src/client/client.ts";
import type { Selection } from "../../../sdk/src/selection.ts";
import { confirm } from "../terminal/ask-person.ts";
import { CommandError } from "../command-error.ts";
import type { Flags } from "../flags.ts";
import type { Handlers, Invocation } from "../invocation.ts";
import { untilInterrupted } from "../terminal/interrupt.ts";
import { counted, type Output, plain, progress, remark } from "../terminal/output.ts";
import { isEmpty, messageFilter } from "./filter-options.ts";
import { findIds, type Found } from "./found-ids.ts";

export const HANDLERS: Handlers = {
  retry: async (invocation) => {
    const { client, words, flags } = invocation;
    const over = flags.text("over");
    if (words.length > 0) {
      requireIdsAlone(messageFilter(flags), flags);
      if (over !== undefined) throw new CommandError("--over needs a filter or --all, not ids");
      const all = await findIds(client, words);
      if (flags.is("dry-run")) return countNamed(invocation, "send", all, retryableCount);
      for (const found of all) await retryOne(invocation, found);
      return;
    }
    await changeMany(invocation, {
      selection: selectionOf(messageFilter(flags), flags),
      verb: "send now",
      noun: "message",
      count: (selection) => client.messages.count("retry", selection),
      change: async (selection) => {
        const { retried, cursor } = await client.messages.retry(selection, { over });
        return { count: retried, cursor };
      },
      sentence: (count) => `${counted(count, "message")} due now.`,
    });
  },
  cancel: async (invocation) => {
    const { client, words, flags, output } = invocation;
    if (words.length > 0) {
      requireIdsAlone(messageFilter(flags), flags);
      const all = await findIds(client, words);
      if (flags.is("dry-run")) return countNamed(invocation, "cancel", all, cancelableCount);
      for (const { kind, id } of all) {
        if (kind === "dead-letter") throw new CommandError(`${id} has ended: it is a dead letter`);
        const answer =
          kind === "run" ? await client.workflow.cancel(id) : await client.messages.cancel(id);
        output.done(answer.cancelled === 0 ? `${id} has ended.` : `${id} is canceled.`, answer);
      }
      return;
    }
    await changeMany(invocation, {
      selection: selectionOf(messageFilter(flags), flags),
      verb: "cancel",
      noun: "message",
      count: (selection) => client.messages.count("cancel", selection),
      change: async (selection) => ({ count: (await client.messages.cancel(selection)).cancelled }),
      sentence: (count) => `${counted(count, "message")} canceled.`,
    });
  },
};

/** What has failed is sent again as something new; what waits is sent now. */
async function retryOne({ client, output }: Invocation, { kind, id }: Found): Promise<void> {
  if (kind === "run") {
    const dlqId = (await client.workflow.get(id))?.dlqId;
    if (dlqId === undefined) throw new CommandError(`the run ${id} has not failed`);
    const { workflowRuns } = await client.workflow.dlq.resume(dlqId);
    const resumed = workflowRuns[0]?.workflowRunId ?? "";
    return output.one(workflowRuns[0], () => plain(`${id} continues as ${resumed}`), resumed);
  }
  const letter = kind === "dead-letter" ? id : (await client.messages.get(id)).dlqId;
  if (letter !== undefined) {
    const { responses } = await client.dlq.retry(letter);
    const messageId = responses[0]?.messageId ?? "";
    return output.one(responses[0], () => plain(`${id} is sent again as ${messageId}`), messageId);
  }
  const { retried } = await client.messages.retry([id]);
  const sentence = retried === 0 ? `${id} is due, under way or has ended.` : `${id} is due now.`;
  output.done(sentence, { retried });
}

type CountOne = (client: Client, found: Found) => Promise<BulkCount>;

/** What a command would do with ids that were given. */
async function countNamed(
  { client, output }: Invocation,
  verb: string,
  all: readonly Found[],
  countOne: CountOne,
): Promise<void> {
  let sum = 0;
  for (const found of all) sum += (await countOne(client, found)).count;
  const shown = `${sum} of ${counted(all.length, "id")}`;
  const sentence = plain(`It would ${verb} ${shown}.`);
  output.one({ count: sum, isAbout: false }, () => sentence, String(sum));
}

const cancelableCount: CountOne = async (client, { kind, id }) => {
  if (kind === "dead-letter") return NONE;
  return kind === "run" ? client.workflow.count([id]) : client.messages.count("cancel", [id]);
};

const retryableCount: CountOne = async (client, { kind, id }) => {
  if (kind === "dead-letter") return client.dlq.count([id]);
  if (kind === "message" && (await client.messages.get(id)).dlqId === undefined) {
    return client.messages.count("retry", [id]);
  }
  if (kind === "message") return ONE;
  return (await client.workflow.get(id))?.dlqId === undefined ? NONE : ONE;
};

/** A bulk command: what it selects, and how it counts and changes that. */
export interface Change<Filter> {
  readonly selection: Selection<Filter>;
  /** What it would do, in the question. */
  readonly verb: string;
  readonly noun: string;
  readonly count: (selection: Selection<Filter>) => Promise<BulkCount>;
  readonly change: (selection: Selection<Filter>) => Promise<Changed>;
  /** What was done. */
  readonly sentence: (count: number) => string;
}

export interface Changed {
  readonly count: number;
  /** Present when the server ended before all of them were changed. */
  readonly cursor?: string | undefined;
}

/** Counts, asks a person, then changes. */
export async function changeMany<Filter>(
  { flags, output }: Pick<Invocation, "flags" | "output">,
  { selection, verb, noun, count: countOf, change, sentence }: Change<Filter>,
): Promise<void> {
  if (flags.is("dry-run") || !flags.is("yes")) {
    const { count, isAbout } = await countOf(selection);
    const shown = `${isAbout ? "at least " : ""}${counted(count, noun)}`;
    if (flags.is("dry-run")) {
      return output.one({ count, isAbout }, () => `It would ${verb} ${shown}.`, String(count));
    }
    if (count === 0) return output.done(`There is no such ${noun}.`, { count: 0 });
    await confirm(`${verb} ${shown}`, flags);
  }
  const count = await changeAll(output, { selection, change, sentence });
  output.done(sentence(count), { count });
}

/** The server ends a long call with a cursor; the command continues until there is none. */
export async function changeAll<Filter>(
  output: Pick<Output, "progress">,
  { selection, change, sentence }: Pick<Change<Filter>, "selection" | "change" | "sentence">,
): Promise<number> {
  let count = 0;
  let rest = selection;
  try {
    return await untilInterrupted(async (goOn) => {
      for (;;) {
        const changed = await change(rest);
        count += changed.count;
        if (!changed.cursor) return count;
        output.progress(sentence(count));
        rest = continued(selection, changed.cursor);
        goOn();
      }
    });
  } catch (error) {
    if (count > 0) remark(`so far: ${plain(sentence(count))}`);
    throw error;
  } finally {
    progress("");
  }
}

function continued<Filter>(selection: Selection<Filter>, cursor: string): Selection<Filter> {
  if (typeof selection === "string" || isIds(selection)) {
    throw new CommandError("the server did not finish", 1, "run the command again");
  }
  return { ...selection, cursor };
}

function isIds(selection: Selection<unknown>): selection is readonly string[] {
  return Array.isArray(selection);
}

/** A filter beside ids would be ignored. */
export function requireIdsAlone(filter: object, flags: Flags): void {
  if (isEmpty(filter) && !flags.is("all")) return;
  throw new CommandError("give ids, or a filter, or --all: not two of them");
}

/** Without a filter, all of them must be meant. */
export function selectionOf<Filter extends object>(
  filter: Filter,
  flags: Flags,
): Selection<Filter> {
  if (!isEmpty(filter)) return { filter };
  if (flags.is("all")) return { all: true };
  throw new CommandError("give an id, a filter, or --all");
}

const NONE: BulkCount = { count: 0, isAbout: false };
const ONE: BulkCount = { count: 1, isAbout: false };
