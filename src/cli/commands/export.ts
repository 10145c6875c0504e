import { writeFileSync } from "node:fs";
import type { Client } from "../../../sdk/src/client/client.ts";
import { systemClock } from "../../platform/clock.ts";
import { FILE_MODE } from "../../platform/durable-files.ts";
import { CommandError } from "../command-error.ts";
import { toWriteError } from "../given-file.ts";
import { incidentOf } from "../incident/incident.ts";
import { type Handlers, word } from "../invocation.ts";
import { jsonText } from "../terminal/output.ts";
import { giveName, newFile, type NewFile, withDraft } from "../new-file.ts";
import { findId, type Found } from "./found-ids.ts";

export const HANDLERS: Handlers = {
  export: async ({ client, connection, flags, output, ...invocation }) => {
    const out = flags.text("out");
    const file = out === undefined ? null : newFile(out);
    const found = await findId(client, word(invocation, 0));
    const content = await contentOf(client, found);
    const exportedAt = new Date(systemClock.now()).toISOString();
    const text = `${jsonText(incidentOf(connection.url, exportedAt, content), 2)}\n`;
    if (file === null) return void process.stdout.write(text);
    await withDraft(file.draft, () => writeOut(file, text));
    output.done(`${found.id} is written to ${out}, which only you can read.`, { file: out });
  },
};

async function writeOut({ draft, target }: NewFile, text: string): Promise<void> {
  try {
    writeFileSync(draft, text, { flag: "wx", mode: FILE_MODE });
  } catch (error) {
    throw toWriteError(target, error);
  }
  giveName({ draft, target });
}

async function contentOf(client: Client, { kind, id }: Found): Promise<object> {
  if (kind === "run") {
    const run = await client.workflow.get(id);
    if (run === undefined) throw new CommandError(`there is no run ${id}`, 5);
    const last = run.steps.at(-1)?.steps.at(-1)?.messageId;
    return { kind, run, log: last === undefined ? [] : await logOf(client, last) };
  }
  const messageId = kind === "message" ? id : (await client.dlq.get(id)).messageId;
  const [message, log, callbacks] = await Promise.all([
    client.messages.get(messageId),
    logOf(client, messageId),
    client.messages.callbacks(messageId),
  ]);
  return { kind: "message", message, log, callbacks };
}

async function logOf(client: Client, messageId: string): Promise<readonly object[]> {
  const { items } = await client.logs.list({ messageId, count: ENTRIES_MAX });
  return items.toReversed();
}

const ENTRIES_MAX = 1_000;
