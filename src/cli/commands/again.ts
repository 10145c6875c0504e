/** Commands that change messages and runs: one by its id, or many by a filter. */
import type { BulkCount } from "../../../sdk/src/client/bulk-count.ts";
import type { Selection } from "../../../sdk/src/selection.ts";
import { confirm } from "../ask-person.ts";
import { CommandError } from "../command-error.ts";
import type { Flags } from "../flags.ts";
import type { Handlers, Invocation } from "../invocation.ts";
import { counted } from "../output.ts";
import { isEmpty, messageFilter } from "./filter-options.ts";
import { findIds, type Found } from "./found-ids.ts";

export const HANDLERS: Handlers = {
  retry: async (invocation) => {
    const { client, words, flags } = invocation;
    if (words.length > 0) {
      for (const found of await findIds(client, words)) await retryOne(invocation, found);
      return;
    }
    const over = flags.text("over");
    await changeMany(invocation, {
      selection: selectionOf(messageFilter(flags), flags),
      verb: "send now",
      noun: "message",
      count: (selection) => client.messages.count("retry", selection),
      change: async (selection) => {
        const { retried } = await client.messages.retry(selection, { over });
        return { count: retried, sentence: `${counted(retried, "message")} due now.` };
      },
    });
  },
  cancel: async (invocation) => {
    const { client, words, flags, output } = invocation;
    if (words.length > 0) {
      for (const { kind, id } of await findIds(client, words)) {
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
      change: async (selection) => {
        const { cancelled } = await client.messages.cancel(selection);
        return { count: cancelled, sentence: `${counted(cancelled, "message")} canceled.` };
      },
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
    return output.one(workflowRuns[0], () => `${id} continues as ${resumed}`, resumed);
  }
  const letter = kind === "dead-letter" ? id : (await client.messages.get(id)).dlqId;
  if (letter !== undefined) {
    const { responses } = await client.dlq.retry(letter);
    const messageId = responses[0]?.messageId ?? "";
    return output.one(responses[0], () => `${id} is sent again as ${messageId}`, messageId);
  }
  const { retried } = await client.messages.retry([id]);
  const sentence = retried === 0 ? `${id} is due, under way or has ended.` : `${id} is due now.`;
  output.done(sentence, { retried });
}

/** A bulk command: what it selects, and how it counts and changes that. */
export interface Change<Filter> {
  readonly selection: Selection<Filter>;
  /** What it would do, in the question. */
  readonly verb: string;
  readonly noun: string;
  readonly count: (selection: Selection<Filter>) => Promise<BulkCount>;
  readonly change: (
    selection: Selection<Filter>,
  ) => Promise<{ readonly count: number; readonly sentence: string }>;
}

/** Counts, asks a person, then changes. */
export async function changeMany<Filter>(
  { flags, output }: Pick<Invocation, "flags" | "output">,
  { selection, verb, noun, count: countOf, change }: Change<Filter>,
): Promise<void> {
  if (flags.is("dry-run") || !flags.is("yes")) {
    const { count, isAbout } = await countOf(selection);
    const shown = `${isAbout ? "at least " : ""}${counted(count, noun)}`;
    if (flags.is("dry-run")) {
      return output.one({ count, isAbout }, () => `It would ${verb} ${shown}.`);
    }
    if (count === 0) return output.done(`There is no such ${noun}.`, { count: 0 });
    await confirm(`${verb} ${shown}`, flags);
  }
  const { count, sentence } = await change(selection);
  output.done(sentence, { count });
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
