import type { CommandRow, OptionRow } from "../../src/cli/command-row.ts";
import { COMMANDS, CONNECTION, EXIT_CODES, WHO } from "../../src/cli/command-table.ts";
import { isDefault } from "../../src/cli/program.ts";
import OUTPUTS from "../docs/command-outputs.json" with { type: "json" };

/** docs/reference/commands.md, made from the table of commands. */
export function commandsPage(): string {
  const sections = Map.groupBy(COMMANDS, ({ section }) => section);
  const parts = [
    "# Commands",
    "`postrider COMMAND --help` shows what concerns a command. [The guide](../guides/terminal.md) shows them at work. Below each command stands an example with what it printed in a real run, with sample ids, times and addresses.",
    ...[...sections].map(([section, rows]) => overview(section, rows)),
    "## Who runs it",
    table(
      ["Who", "It needs"],
      Object.entries(WHO).map(([who, says]) => [who, says]),
    ),
    "## Address and token",
    "Commands of `token` and `owner` take these options. What is given with the command wins over the environment (`POSTRIDER_URL`, `POSTRIDER_TOKEN`), and that over the profile that `postrider login` has saved, in a file that only you can read; a profile that `--profile` or `POSTRIDER_PROFILE` names wins over `POSTRIDER_URL`. Without any of them, a command asks `postrider dev` on this machine. A saved token is sent only to the server that it was saved for, and `POSTRIDER_TOKEN` to no saved one.",
    optionTable(CONNECTION),
    "## Exit codes",
    table(
      ["Code", "Meaning"],
      Object.entries(EXIT_CODES).map(([exitCode, says]) => [exitCode, says]),
    ),
    "An error is a sentence on standard error, with the `field` and the `hint` of the server; with `--json` it is an object.",
    "## Each command",
    ...COMMANDS.filter(({ who }) => who !== undefined).map(details),
    "`npm run reference` writes this page from the code.",
  ];
  return `${parts.join("\n\n")}\n`;
}

function overview(section: string, rows: readonly CommandRow[]): string {
  const commands = rows.filter(({ who }) => who !== undefined);
  const lines = commands.map(({ name, says, who }) => [
    `[\`${name}\`](#${anchor(name)})`,
    who!,
    says,
  ]);
  return `## ${section}\n\n${table(["Command", "Who", "What it does"], lines)}`;
}

function details(row: CommandRow): string {
  const { name, parameters, says, options, example, who } = row;
  const [group = "", verb] = name.split(" ");
  const short =
    verb !== undefined && isDefault(row, verb) ? ` \`postrider ${group}\` is the same.` : "";
  const settings = who === "server" ? " It takes every [setting](settings.md) as a flag." : "";
  const parts = [
    `### ${name}`,
    `\`${`postrider ${name} ${parameters}`.trim()}\``,
    `${says}.${short}${settings}`,
    ...(options.length === 0 ? [] : [optionTable(options)]),
    `\`\`\`text\n$ postrider ${example}${printed(name)}\n\`\`\``,
  ];
  return parts.join("\n\n");
}

/** What the example printed when it was recorded; a test compares it with a run of today. */
function printed(name: string): string {
  const output = (OUTPUTS as Readonly<Record<string, string>>)[name];
  return output === undefined ? "" : `\n${output}`;
}

function optionTable(options: readonly OptionRow[]): string {
  return table(
    ["Option", "What it does"],
    options.map(({ flags, says, isRepeated, choices }) => [
      `\`${flags}\``,
      `${says}${isRepeated ? "; may be repeated" : ""}${choices.length === 0 ? "" : `: ${choices.join(", ")}; default: ${choices[0]}`}`,
    ]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const anchor = (name: string): string => name.replaceAll(" ", "-");
