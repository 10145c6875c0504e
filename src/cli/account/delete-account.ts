/** `postrider account delete`: counts, asks, and shows what is left while the server removes it. */
import { systemClock } from "../../platform/clock.ts";
import { askLine } from "../terminal/ask-person.ts";
import { CommandError } from "../command-error.ts";
import { type Ask, ConsoleError } from "./console-client.ts";
import { Flags } from "../flags.ts";
import { jsonText, plain, progress } from "../terminal/output.ts";

/** The console's answer about a deletion. */
interface Deletion {
  readonly id: string;
  readonly customer_id: string;
  readonly deleting: boolean;
  readonly counts: Readonly<Record<string, number>>;
}

export async function deleteAccount(
  ask: Ask,
  [name = ""]: readonly string[],
  given: Readonly<Record<string, unknown>>,
): Promise<void> {
  const flags = new Flags(given);
  const id = await idOf(ask, name);
  const path = `/v2/svc/user/${encodeURIComponent(id)}`;
  const look = (query = ""): Promise<Deletion> =>
    ask({ method: "DELETE", path: `${path}${query}` }) as Promise<Deletion>;
  const found = await look();
  const customer = plain(found.customer_id);
  if (flags.is("dry-run")) return say(flags, found, `${customer} has ${contents(found)}.`);
  if (!found.deleting) await confirmName(found, flags);
  const begun = await look(`?confirm=${encodeURIComponent(found.customer_id)}`);
  if (!(await isServed(ask))) {
    return say(
      flags,
      begun,
      `${customer} is marked. No server runs; what it has is removed when one starts.`,
    );
  }
  if (!flags.is("wait") && !process.stderr.isTTY) {
    return say(
      flags,
      begun,
      `${customer} is being deleted; its tokens are refused. --wait waits until nothing is left.`,
    );
  }
  await watch(look, customer);
  say(flags, { ...begun, counts: {} }, `${customer} is deleted.`);
}

/** By its id, or by the name of its customer. */
async function idOf(ask: Ask, name: string): Promise<string> {
  for (let after = ""; ;) {
    const query = after === "" ? "" : `?after=${encodeURIComponent(after)}`;
    const page = (await ask({ method: "GET", path: `/v2/svc/users${query}` })) as Deletion[];
    const found = page.find(({ id, customer_id: customer }) => id === name || customer === name);
    if (found !== undefined) return found.id;
    const last = page.at(-1);
    if (last === undefined) throw new CommandError(`there is no account ${name}`, 5);
    after = last.id;
  }
}

/** A person types the name; where no person can, `--yes` must be given. */
async function confirmName(found: Deletion, flags: Flags): Promise<void> {
  if (flags.is("yes")) return;
  const customer = plain(found.customer_id);
  const sentence = `${customer} has ${contents(found)}. All of it is deleted, and cannot be restored`;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new CommandError(`${sentence}: give --yes to do it`);
  }
  const typed = await askLine(`${sentence}.\nType ${customer} to delete it: `);
  if (typed.trim() !== found.customer_id) throw new CommandError("nothing was changed");
}

/** Ctrl-C ends only the watching: the server continues. */
async function watch(look: () => Promise<Deletion>, customer: string): Promise<void> {
  for (;;) {
    try {
      const left = contents(await look());
      const what = left === NOTHING ? "waiting for requests that had begun" : `${left} left`;
      progress(`Deleting ${customer}: ${what}. Ctrl-C stops only this display.`);
    } catch (error) {
      progress("");
      if (error instanceof ConsoleError && error.status === 404) return;
      throw error;
    }
    await systemClock.sleep(POLL_MS);
  }
}

async function isServed(ask: Ask): Promise<boolean> {
  const answer = await ask({ method: "GET", path: "/v2/svc/nodes" });
  const { nodes } = answer as { readonly nodes: readonly { readonly live: boolean }[] };
  return nodes.some(({ live }) => live);
}

function contents({ counts }: Deletion): string {
  const words = Object.entries(NOUNS).flatMap(([field, noun]) => {
    const count = counts[field] ?? 0;
    if (count === 0) return [];
    return [`${count}${count >= COUNTED_MAX ? " or more" : ""} ${count === 1 ? noun[0] : noun[1]}`];
  });
  return words.length === 0 ? NOTHING : words.join(", ");
}

function say(flags: Flags, answer: Deletion, sentence: string): void {
  const text = flags.is("json") ? jsonText(answer, 2) : sentence;
  process.stdout.write(`${text}\n`);
}

/** What is counted, as one and as several. */
const NOUNS: Readonly<Record<string, readonly [string, string]>> = {
  messages: ["message", "messages"],
  runs: ["run", "runs"],
  dead_letters: ["dead letter", "dead letters"],
  log_entries: ["log entry", "log entries"],
  schedules: ["schedule", "schedules"],
  queues: ["queue", "queues"],
  flow_control_keys: ["flow-control key", "flow-control keys"],
  url_groups: ["URL group", "URL groups"],
};
const NOTHING = "nothing";
const COUNTED_MAX = 100_000;
const POLL_MS = 1_000;
