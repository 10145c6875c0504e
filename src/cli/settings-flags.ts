/** The settings of the server as options of the commands that take them, and those commands. */
import { existsSync } from "node:fs";
import { type Command, Option } from "commander";
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
import { type CommandRow, managesStore, takesSettings } from "./command-row.ts";
import { Flags, type StoreHandler } from "./flags.ts";

/**
 * The commands that take every setting. The service is read only by a command that runs it: a mistake
 * in the flags and a question are answered sooner.
 */
const SERVERS: Readonly<
  Record<
    string,
    {
      readonly mode: Mode;
      readonly run: (settings: Settings, sources: SettingSources, flags: Flags) => Promise<void>;
      /** A command that runs beside a service takes the environment of its caller as it is. */
      readonly isStrict: boolean;
    }
  >
> = {
  dev: {
    mode: "dev",
    run: async (settings) => (await import("./server/dev.ts")).dev(settings),
    isStrict: true,
  },
  serve: {
    mode: "serve",
    run: async (settings, sources) => (await import("./server/serve.ts")).serve(settings, sources),
    isStrict: true,
  },
  migrate: {
    mode: "serve",
    run: async (settings) => (await import("./server/migrate.ts")).migrate(settings),
    isStrict: false,
  },
  doctor: {
    mode: existsSync(SETTINGS.data.defaults.dev) ? "dev" : "serve",
    run: async (settings, _sources, flags) =>
      (await import("./doctor/doctor.ts")).doctor(settings, flags),
    isStrict: false,
  },
};

/** The settings by which commands that manage a store find it. */
const STORE_SETTINGS = ["data", "databaseUrl", "databaseSchema", "secretKey", "previousSecretKey"];

export function addSettings(row: CommandRow, command: Command): void {
  if (managesStore(row)) add(command, "serve", STORE_SETTINGS);
  if (row.who !== "server") return;
  add(command, SERVERS[row.name]!.mode, Object.keys(SETTINGS));
  for (const [setting, { placeholder }] of Object.entries(REMOVED_SETTINGS)) {
    command.addOption(new Option(flagText(setting, placeholder)).hideHelp());
  }
  command.option("--print-config", "Show every setting and where it comes from, and exit");
}

/** The flags of these settings, for the completion of shells. */
export function settingFlags(row: CommandRow): readonly string[] {
  if (!takesSettings(row)) return [];
  const names = row.who === "server" ? Object.keys(SETTINGS) : STORE_SETTINGS;
  const rows = SETTINGS as Readonly<Record<string, Setting<unknown>>>;
  const given = names.filter((name) => rows[name]?.isFlagless !== true);
  return [...given.map((name) => `--${flagOf(name)}`), "--config"];
}

export async function runServer(row: CommandRow, command: Command): Promise<void> {
  const { mode, run, isStrict } = SERVERS[row.name]!;
  const { printConfig, ...flags } = command.opts<Record<string, unknown>>();
  if (isStrict) refuseUnknownVariables(process.env);
  if (printConfig === true) process.stdout.write(describeSettings(mode, sourcesOf(flags)));
  else await run(readSettings(mode, sourcesOf(flags)), sourcesOf(flags), new Flags(flags));
}

export async function runOperator(row: CommandRow, command: Command): Promise<void> {
  const { manage } = await import("./account/account.ts");
  const flags = command.opts<Record<string, string>>();
  await manage(row.name, readSettings("serve", sourcesOf(flags)), command.args, flags);
}

export async function runOnStore(handler: StoreHandler, command: Command): Promise<void> {
  const flags = command.opts<Record<string, unknown>>();
  const settings = readSettings("serve", sourcesOf(flags));
  await handler(settings, command.args[0] ?? "", new Flags(flags));
}

function add(command: Command, mode: Mode, names: readonly string[]): void {
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
