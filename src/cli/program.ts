/** The program of commander, made from the command table. */
import { Command, Option } from "commander";
import { nearestName } from "../core/nearest-name.ts";
import { CommandError } from "./command-error.ts";
import { type CommandRow, managesStore, type OptionRow } from "./command-row.ts";
import { COMMANDS, CONNECTION, EXIT_CODES } from "./command-table.ts";
import { plainText } from "./terminal/output.ts";

export interface ProgramParts {
  readonly version: string;
  readonly run: (row: CommandRow, command: Command) => Promise<void>;
  /** Adds the settings of the server to a command that takes them. */
  readonly addSettings: (row: CommandRow, command: Command) => void;
}

export function buildProgram(parts: ProgramParts): Command {
  const program = new Command("postrider")
    .description("Self-hosted service for durable HTTP messages.")
    .version(parts.version, "-v, --version")
    .configureOutput({ writeErr: (text) => process.stderr.write(plainText(text)) })
    .addHelpText("after", `\nExit codes:\n${exitCodeLines()}`);
  const groups = new Map<string, Command>();
  for (const row of COMMANDS) {
    const [first = "", verb] = row.name.split(" ");
    if (row.who === undefined) {
      const group = program.command(first).description(row.says).helpGroup(`${row.section}:`);
      groups.set(first, group);
      continue;
    }
    const parent = verb === undefined ? program : groups.get(first)!;
    const options = { isDefault: verb !== undefined && isDefault(row, verb) };
    const command = parent.command(`${verb ?? first} ${row.parameters}`.trim(), options);
    if (verb === undefined) command.helpGroup(`${row.section}:`);
    fill(command.description(row.says).allowExcessArguments(false), row, parts);
  }
  for (const command of [program, ...program.commands, ...[...groups.values()].flatMap(below)]) {
    command.showSuggestionAfterError(false).configureOutput({
      outputError: (text, write) => write(errorText(command, text)),
    });
  }
  return program;
}

function below({ commands }: Command): readonly Command[] {
  return commands;
}

/** With the command or option that is most likely meant. The suggestions of commander may be other words. */
function errorText(command: Command, text: string): string {
  const said = text.trimEnd().replace(/^error: /, "postrider: ");
  const [, kind, typed = ""] = /^postrider: unknown (command|option) '(.*)'$/.exec(said) ?? [];
  if (kind === undefined) return `${said}\n`;
  const help = command.createHelp();
  const names =
    kind === "command"
      ? help.visibleCommands(command).map((one) => one.name())
      : help.visibleOptions(command).map(({ long }) => long?.slice(DASHES.length) ?? "");
  const isOption = kind === "option";
  const nearest = nearestName(isOption ? typed.slice(DASHES.length) : typed, names);
  const hint = nearest === undefined ? "" : `(Did you mean ${isOption ? DASHES : ""}${nearest}?)\n`;
  return `${said}\n${hint}`;
}

function fill(command: Command, row: CommandRow, parts: ProgramParts): void {
  for (const option of row.options) command.addOption(optionOf(option));
  if (managesStore(row)) command.option("--json", "print the answer as JSON");
  if (takesConnection(row)) {
    for (const option of CONNECTION) command.addOption(optionOf(option).helpGroup(CONNECTING));
  }
  parts.addSettings(row, command);
  command.showHelpAfterError(`  hint: postrider ${row.name} --help says how`);
  if (row.example !== "") command.addHelpText("after", `\nExample:\n  postrider ${row.example}`);
  command.action(() => parts.run(row, command));
}

/** Of a group, whose default command would take an unknown word for one of its own. */
export function requireKnownWord(program: Command, [first, second = "-"]: readonly string[]): void {
  const group = program.commands.find((command) => command.name() === first);
  const names = group?.commands.map((command) => command.name()) ?? [];
  if (names.length === 0 || [...names, "help"].includes(second) || second.startsWith("-")) return;
  const sentence = `unknown command '${first} ${second}'`;
  throw new CommandError(sentence, 1, `there is: ${names.join(", ")}`);
}

/** `help dlq retry` is `dlq retry --help`: the help of commander knows one word. */
export function withHelp(program: Command, words: readonly string[]): string[] {
  const [first, ...named] = words;
  if (first !== "help" || named.length === 0 || named[0]!.startsWith("-")) return [...words];
  let at = program;
  for (const word of named) {
    const { commands } = at;
    const found = commands.find((command) => command.name() === word);
    if (found === undefined) {
      const nearest = nearestName(
        word,
        commands.map((command) => command.name()),
      );
      const hint = nearest === undefined ? "postrider help lists them" : `did you mean ${nearest}?`;
      throw new CommandError(`unknown command '${named.join(" ")}'`, 1, hint);
    }
    at = found;
  }
  return [...named, "--help"];
}

/** Commands that ask a server by its API, or save how it is asked. */
export function takesConnection({ who, name }: CommandRow): boolean {
  return who === "token" || who === "owner" || name === "login" || name === "logout";
}

/** `postrider queues` lists queues. The commands of the operator have always been spelled out. */
export function isDefault({ who, name, parameters }: CommandRow, verb: string): boolean {
  if (name === "simulate retries") return true;
  return who !== "operator" && (verb === "list" || (verb === "show" && parameters === ""));
}

function optionOf({ flags, says, isRepeated, choices }: OptionRow): Option {
  const option = new Option(flags, says);
  if (choices.length > 0) option.choices([...choices]).default(choices[0]);
  if (isRepeated) {
    option.argParser((text: string, before: string[] | undefined) => [...(before ?? []), text]);
  }
  return option;
}

function exitCodeLines(): string {
  return Object.entries(EXIT_CODES)
    .map(([code, says]) => `  ${code.padEnd(4)} ${says}`)
    .join("\n");
}

const DASHES = "--";
const CONNECTING = "Server and output:";
