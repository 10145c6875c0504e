/** Completion scripts of shells, made from the command table. */
import { CommandError } from "../command-error.ts";
import { type CommandRow, managesStore } from "../command-row.ts";
import { COMMANDS, CONNECTION } from "../command-table.ts";
import type { LocalHandlers } from "../flags.ts";
import { takesConnection } from "../program.ts";
import { settingFlags } from "../settings-flags.ts";

export const HANDLERS: LocalHandlers = {
  completion: async ([shell = ""]) => {
    const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
    if (script === undefined) {
      throw new CommandError(`${shell} is not a shell that is known; there is: bash, zsh, fish`);
    }
    process.stdout.write(script());
  },
};

const SCRIPTS: Readonly<Record<string, () => string>> = {
  bash: () => `# Completion of postrider: eval "$(postrider completion bash)"
_postrider() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=($(compgen -W "$(_postrider_words "\${COMP_WORDS[@]:1:COMP_CWORD-1}")" -- "$word"))
}
${wordsFunction()}
complete -o default -F _postrider postrider
`,
  zsh: () => `#compdef postrider
# Completion of postrider: eval "$(postrider completion zsh)"
_postrider() {
  local -a found
  found=(\${=$(_postrider_words \${words[2,CURRENT-1]})})
  compadd -- $found
  # Commands are no files; the argument of a command may be one.
  [[ $found[1] != -* || $words[CURRENT] == -* ]] || _files
}
${wordsFunction()}
compdef _postrider postrider
`,
  fish: () => `# Completion of postrider: postrider completion fish | source
${fishLines().join("\n")}
`,
};

/** For bash and zsh: what can follow the words before the cursor. */
function wordsFunction(): string {
  const cases = [...followers()].map(
    ([name, words]) => `    "${name}"*) echo "${words.join(" ")}" ;;`,
  );
  return `_postrider_words() {
  case "$1 $2 " in
${cases.join("\n")}
    *) echo "${topWords().join(" ")} --help --version" ;;
  esac
}`;
}

/** By the words of a command with a blank after them, longer ones first. */
function followers(): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const rows = COMMANDS.toSorted((one, other) => other.name.length - one.name.length);
  for (const row of rows) {
    const words = row.who === undefined ? verbsOf(row.name) : flagsOf(row);
    found.set(`${row.name} `, [...words, "--help"]);
  }
  return found;
}

function topWords(): string[] {
  return COMMANDS.filter(({ name }) => !name.includes(" ")).map(({ name }) => name);
}

function verbsOf(group: string): string[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${group} `)).map(
    ({ name }) => name.split(" ")[1]!,
  );
}

function flagsOf(row: CommandRow): string[] {
  const options = [...row.options, ...(takesConnection(row) ? CONNECTION : [])];
  const own = options.map(({ name }) => `--${name}`);
  return [...new Set([...own, ...(managesStore(row) ? ["--json"] : []), ...settingFlags(row)])];
}

function fishLines(): string[] {
  const lines = ["complete -c postrider -f"];
  for (const row of COMMANDS) {
    const [first = "", verb] = row.name.split(" ");
    const says = row.says.replaceAll(/['\\]/g, "\\$&");
    const before =
      verb === undefined
        ? "__fish_use_subcommand"
        : `__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${verbsOf(first).join(" ")}`;
    lines.push(`complete -c postrider -n '${before}' -a ${verb ?? first} -d '${says}'`);
    if (row.who === undefined) continue;
    const within =
      verb === undefined
        ? `__fish_seen_subcommand_from ${first}`
        : `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${verb}`;
    for (const flag of flagsOf(row)) {
      lines.push(`complete -c postrider -n '${within}' -l ${flag.slice(2)} -F`);
    }
  }
  return lines;
}
