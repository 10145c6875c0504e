/** How the lines of the command table are read. */

/** Who runs a command. */
export type Who = "machine" | "token" | "owner" | "operator" | "store" | "server";

export interface OptionRow {
  /** As in `--help`: `-H, --header <line>`. */
  readonly flags: string;
  /** Without dashes: `header`. */
  readonly name: string;
  /** It may be given more than once; the table says `<line...>`. */
  readonly isRepeated: boolean;
  readonly says: string;
  /** The values that it takes, the default first. */
  readonly choices: readonly string[];
}

export interface CommandRow {
  readonly section: string;
  /** `queues set`. */
  readonly name: string;
  /** `<name>`. */
  readonly parameters: string;
  /** Absent for a group of commands. */
  readonly who: Who | undefined;
  readonly says: string;
  readonly options: readonly OptionRow[];
  /** Without `postrider`. */
  readonly example: string;
}

/** Commands that manage a store, and find it by a few settings of the server. */
export function managesStore({ who }: Pick<CommandRow, "who">): boolean {
  return who === "operator" || who === "store";
}

/** Commands that take settings of the server: all of them, or those of its store. */
export function takesSettings(row: Pick<CommandRow, "who">): boolean {
  return row.who === "server" || managesStore(row);
}

export function parseOptions(lines: string): OptionRow[] {
  return linesOf(lines).map((line) => {
    const [flags = "", says = "", choices = ""] = cellsOf(line);
    return {
      flags: flags.replace("...>", ">"),
      name: /--([a-z-]+)/.exec(flags)![1]!,
      isRepeated: flags.includes("...>"),
      says,
      choices: wordsOf(choices),
    };
  });
}

export function parseCommands(
  lines: string,
  options: readonly OptionRow[],
  sets: Readonly<Record<string, string>>,
): CommandRow[] {
  const byName = new Map(options.map((option) => [option.name, option]));
  const rows: CommandRow[] = [];
  let section = "";
  for (const line of linesOf(lines)) {
    if (line.startsWith("## ")) {
      section = line.slice("## ".length);
      continue;
    }
    const [usage = "", who = "", says = "", names = "", example = ""] = cellsOf(line);
    const [name = "", parameters = ""] = usage.split(/ (?=[<[])(.*)/);
    const all = wordsOf(names).flatMap((word) => wordsOf(sets[word] ?? word));
    rows.push({
      section,
      name,
      parameters,
      who: who === "" ? undefined : (who as Who),
      says,
      options: all.map((word) => byName.get(word) ?? missing(word, name)),
      example,
    });
  }
  return rows;
}

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");
const cellsOf = (line: string): string[] => line.split("|").map((cell) => cell.trim());
const wordsOf = (text: string): string[] => text.split(" ").filter((word) => word !== "");

function missing(option: string, command: string): never {
  throw new Error(`the table has no option ${option}, which ${command} names`);
}
