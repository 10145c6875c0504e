import { Client } from "../../sdk/src/client/client.ts";
import { type Connection, connectionOf } from "./connection.ts";
import { CommandError } from "./command-error.ts";
import type { Flags } from "./flags.ts";
import { Output } from "./output.ts";

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
  const client = clientOf(connection);
  await handler({ words, flags, output: new Output(flags), connection, client });
}

/** A person waits: a server that does not answer is reported within a second. */
export function clientOf({ url, token }: Connection): Client {
  return new Client({ baseUrl: url, token, retry: { retries: 2, backoff: () => 200 } });
}

/** An argument that the table demands. */
export function word({ words }: Pick<Invocation, "words">, index: number): string {
  const text = words[index];
  if (text !== undefined && text !== "") return text;
  throw new CommandError("an argument is missing");
}
