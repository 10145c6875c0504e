/** What the tests of a rotated secret key share. */
import assert from "node:assert/strict";
import { Receiver } from "../../sdk/src/sdk.ts";
import type { AccountCalls, Item } from "./account-calls.ts";
import { Command } from "./command.ts";
import type { DestinationServer } from "./destination-server.ts";

/** What is published is delivered with a signature of these keys. */
export async function requireSigned(
  calls: AccountCalls,
  destination: DestinationServer,
  { current, next }: Item,
): Promise<void> {
  const path = `/signed-${++signed}`;
  await calls.publish(`${destination.url}${path}`, {}, "body");
  const [request] = await destination.received(path);
  const receiver = new Receiver({
    currentSigningKey: String(current),
    nextSigningKey: String(next),
  });
  const signature = request.headers["svc-signature"]!;
  const url = `${destination.url}${path}`;
  assert.ok(await receiver.verify({ signature, body: request.body, url }));
}

let signed = 0;

/** Runs a command to its end. `outputs` then also has what it said. */
export async function run(
  words: readonly string[],
  outputs: (() => string)[],
  environment: Readonly<Record<string, string>> = {},
) {
  const command = new Command(words, environment);
  outputs.push(() => command.output + command.errors);
  const code = await command.ends();
  return { code, output: command.output, errors: command.errors };
}
