import { Command, Option } from "commander";
import {
  describeSettings,
  readSettings,
  refuseUnknownVariables,
  type SettingSources,
} from "../config/read-settings.ts";
import {
  flagOf,
  type Mode,
  REMOVED_SETTINGS,
  type Setting,
  type Settings,
  SETTINGS,
} from "../config/settings.ts";
import { addAccountCommands } from "./account.ts";
import { startErrorText } from "./start-error-text.ts";
import { VERSION } from "../config/version.ts";

/**
 * The commands of `postrider`. Each gets the settings, read and checked. The service is read only by a
 * command that runs it: a mistake in the flags and a question are answered sooner.
 */
const COMMANDS: readonly {
  readonly name: string;
  readonly mode: Mode;
  readonly run: (settings: Settings, sources: SettingSources) => Promise<void>;
  /** A command that runs beside a service takes the environment of its caller as it is. */
  readonly isStrict: boolean;
  readonly says: string;
}[] = [
  {
    name: "dev",
    mode: "dev",
    run: async (settings) => (await import("./dev.ts")).dev(settings),
    isStrict: true,
    says: "Run on this machine: loopback only, known credentials, data kept in ./.postrider",
  },
  {
    name: "serve",
    mode: "serve",
    run: async (settings, sources) => (await import("./serve.ts")).serve(settings, sources),
    isStrict: true,
    says: "Run for other machines: SQLite in a data folder, or PostgreSQL shared by several nodes",
  },
  {
    name: "migrate",
    mode: "serve",
    run: async (settings) => (await import("./migrate.ts")).migrate(settings),
    isStrict: false,
    says: "Migrate the schema of the store, and exit",
  },
];

/** The settings by which commands that manage a store find it. */
const STORE_SETTINGS = ["data", "databaseUrl", "databaseSchema", "secretKey"];

const program = new Command("postrider")
  .description("Self-hosted service for durable HTTP messages.")
  .version(VERSION, "-v, --version");
for (const command of COMMANDS) addCommand(command);
addAccountCommands(
  program,
  (command) => addSettings(command, "serve", STORE_SETTINGS),
  (flags) => readSettings("serve", sourcesOf(flags)),
);

try {
  await program.parseAsync();
} catch (error) {
  fail(error);
}

function addCommand({ name, mode, run, isStrict, says }: (typeof COMMANDS)[number]): void {
  const command = program.command(name).description(says).allowExcessArguments(false);
  addSettings(command, mode, Object.keys(SETTINGS));
  for (const [setting, { placeholder }] of Object.entries(REMOVED_SETTINGS)) {
    command.addOption(new Option(flagText(setting, placeholder)).hideHelp());
  }
  command.option("--print-config", "Show every setting and where it comes from, and exit");
  command.action(async ({ printConfig, ...flags }: Record<string, unknown>) => {
    if (isStrict) refuseUnknownVariables(process.env);
    if (printConfig === true) process.stdout.write(describeSettings(mode, sourcesOf(flags)));
    else await run(readSettings(mode, sourcesOf(flags)), sourcesOf(flags));
  });
}

function addSettings(command: Command, mode: Mode, names: readonly string[]): void {
  for (const [setting, row] of Object.entries<Setting<unknown>>(SETTINGS)) {
    if (row.isFlagless === true || !names.includes(setting)) continue;
    const shownDefault = row.defaults[mode] ? ` (default: ${row.defaults[mode]})` : "";
    command.option(flagText(setting, row.placeholder), row.says + shownDefault);
  }
  command.option("--config <file>", "JSON file with settings by the names of these flags");
}

function flagText(setting: string, placeholder: string | undefined): string {
  return `--${flagOf(setting)}${placeholder === undefined ? "" : ` ${placeholder}`}`;
}

function sourcesOf({ config, ...flags }: Readonly<Record<string, unknown>>): SettingSources {
  return {
    flags: Object.fromEntries(Object.entries(flags).map(([key, value]) => [key, String(value)])),
    environment: process.env,
    configFile: (config as string | undefined) ?? process.env["POSTRIDER_CONFIG"],
  };
}

function fail(error: unknown): never {
  process.stderr.write(`postrider: ${startErrorText(error)}\n`);
  process.exit(1);
}
