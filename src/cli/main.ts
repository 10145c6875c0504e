import type { Command } from "commander";
import { VERSION } from "../config/version.ts";
import { type CommandRow, takesSettings } from "./command-row.ts";
import { COMMANDS } from "./command-table.ts";
import { Flags } from "./flags.ts";
import { handlerOf, localHandlerOf, storeHandlerOf } from "./handlers.ts";
import { endWithReader } from "./terminal/output.ts";
import { buildProgram, requireKnownWord, withHelp } from "./program.ts";

/** The settings of the server are many, and read only for a command that takes them. */
const settings = namesSettings(process.argv) ? await import("./settings-flags.ts") : undefined;

const program = buildProgram({
  version: VERSION,
  run,
  addSettings: (row, command) => settings?.addSettings(row, command),
});

let isJson = false;
try {
  const words = withHelp(program, process.argv.slice(2));
  requireKnownWord(program, words);
  await program.parseAsync(words, { from: "user" });
} catch (error) {
  const { failureText } = await import("./failure.ts");
  const { text, exitCode } = await failureText(error, isJson);
  process.stderr.write(text);
  process.exit(exitCode);
}

async function run(row: CommandRow, command: Command): Promise<void> {
  // A server does not end because its output is not read.
  if (!["dev", "serve"].includes(row.name)) endWithReader();
  const flags = new Flags(command.opts());
  isJson = flags.is("json");
  if (row.who === "server") return settings!.runServer(row, command);
  if (row.who === "operator") return settings!.runOperator(row, command);
  if (row.who === "store") {
    return settings!.runOnStore(await storeHandlerOf(row.name), command);
  }
  if (row.who === "machine") return (await localHandlerOf(row.name))(command.args, flags);
  const [handler, { invoke }] = await Promise.all([handlerOf(row.name), import("./invocation.ts")]);
  return invoke(handler, command.args, flags);
}

function namesSettings(words: readonly string[]): boolean {
  return COMMANDS.some((row) => takesSettings(row) && words.includes(row.name.split(" ")[0]!));
}
