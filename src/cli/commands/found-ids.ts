/** Finds what a person means by an id, or by its last letters. */
import type { Client } from "../../../sdk/src/client/client.ts";
import { CommandError } from "../command-error.ts";

export interface Found {
  readonly kind: "message" | "run" | "dead-letter";
  readonly id: string;
}

/** A whole id is taken as it is; other text is compared with the ends of recent ids. */
export async function findId(client: Client, text: string): Promise<Found> {
  const whole = wholeId(text);
  if (whole !== undefined) return whole;
  // Runs may have ids of any form.
  if ((await client.workflow.get(text)) !== undefined) return { kind: "run", id: text };
  if (text.length < LETTERS_MIN) {
    throw new CommandError(
      `${text} is too short: give at least ${LETTERS_MIN} letters of an id`,
      5,
    );
  }
  const known = await recentIds(client);
  const matching = [...known].filter(([id]) => id.endsWith(text));
  const [first] = matching;
  if (first === undefined) {
    throw new CommandError(
      `no recent message, run or dead letter has an id that ends with ${text}`,
      5,
      "only the newest are searched by their last letters; give the whole id",
    );
  }
  if (matching.length === 1) return { id: first[0], kind: first[1] };
  const shown = matching.slice(0, SHOWN_MAX).map(([id]) => id);
  throw new CommandError(
    `${matching.length} ids end with ${text}: ${shown.join(", ")}`,
    5,
    "give more letters",
  );
}

export async function findIds(client: Client, texts: readonly string[]): Promise<Found[]> {
  const found: Found[] = [];
  for (const text of texts) found.push(await findId(client, text));
  return found;
}

function wholeId(text: string): Found | undefined {
  if (/^msg_\w{26}$/.test(text)) return { kind: "message", id: text };
  if (/^\d{13}-\d+$/.test(text)) return { kind: "dead-letter", id: text };
  return /^wfr_[\w-]{22,26}$/.test(text) ? { kind: "run", id: text } : undefined;
}

async function recentIds(client: Client): Promise<ReadonlyMap<string, Found["kind"]>> {
  const [logs, live, runs, dead] = await Promise.all([
    client.logs.list({ count: 1_000 }),
    client.messages.list({ count: 100 }),
    client.workflow.logs({ count: 100, trimBody: -1 }),
    client.dlq.list({ count: 100 }),
  ]);
  return new Map<string, Found["kind"]>([
    ...logs.items.map(({ messageId }) => [messageId, "message"] as const),
    ...live.items.map(({ messageId }) => [messageId, "message"] as const),
    ...runs.items.map(({ workflowRunId }) => [workflowRunId, "run"] as const),
    ...dead.items.map(({ dlqId }) => [dlqId, "dead-letter"] as const),
  ]);
}

const LETTERS_MIN = 4;
const SHOWN_MAX = 5;
