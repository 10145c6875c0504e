import { Client } from "../../sdk/src/client/client.ts";
import { DIALECTS } from "../core/model/message/dialect.ts";
import { systemClock } from "../platform/clock.ts";
import { type Connection, connectionOf } from "./connection.ts";
import { CommandError } from "./command-error.ts";
import type { Flags } from "./flags.ts";
import { Output } from "./terminal/output.ts";

/** One run of a command: what was given, whom it asks, and how it answers. */
export interface Invocation {
  /** The arguments, without the options. */
  readonly words: readonly string[];
  readonly flags: Flags;
  readonly output: Output;
  readonly connection: Connection;
  readonly client: Client;
}

/** What a command does. */
export type Handler = (invocation: Invocation) => Promise<void>;
/** The commands of a file, by the names in the table. */
export type Handlers = Readonly<Record<string, Handler>>;

export async function invoke(
  handler: Handler,
  words: readonly string[],
  flags: Flags,
): Promise<void> {
  const connection = await connectionOf(flags);
  const client = clientOf(connection, prefixOf(flags));
  await handler({ words, flags, output: new Output(flags), connection, client });
}

/** A person waits: a server that does not answer is reported within a second. */
export function clientOf({ url, token }: Connection, headerPrefix?: string): Client {
  const retry = { retries: 2, backoff: () => 200 };
  return new Client({ baseUrl: url, token, retry, headerPrefix, fetch: fetchAndNoteTime });
}

/** The receivers of the public SDKs take headers of their own prefix alone. */
function prefixOf(flags: Flags): string | undefined {
  const name = flags.text("dialect");
  if (name === undefined || name === "svc" || name === "upstash")
    return name && DIALECTS[name].prefix;
  throw new CommandError(`--dialect must be svc or upstash, but is ${name}`);
}

/** Time as the server has it, since that of dev may have been put forward. */
export function serverNow(): number {
  return systemClock.now() + serverAheadMs;
}

let serverAheadMs = 0;

async function fetchAndNoteTime(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  const aheadMs = Date.parse(response.headers.get("date") ?? "") - systemClock.now();
  // The header has whole seconds.
  serverAheadMs = Math.abs(aheadMs) > DATE_MS ? aheadMs : 0;
  return response;
}

const DATE_MS = 2_000;

/** An argument that the table demands. */
export function word({ words }: Pick<Invocation, "words">, index: number): string {
  const text = words[index];
  if (text !== undefined && text !== "") return text;
  throw new CommandError("an argument is missing");
}
