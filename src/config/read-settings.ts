import { readFileSync } from "node:fs";
import { nearestName } from "../core/nearest-name.ts";
import { isLoopbackHost } from "../core/policy/egress/address.ts";
import {
  ENVIRONMENT_PREFIX,
  environmentOf,
  flagOf,
  type Mode,
  REMOVED_SETTINGS,
  type Setting,
  type SettingName,
  SETTINGS,
  type Settings,
} from "./settings.ts";

/** The sources of settings, strongest first; the defaults come last. */
export interface SettingSources {
  /** Flags of the command line, by name. */
  readonly flags: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The file named by --config, if any. */
  readonly configFile: string | undefined;
}

/** A text and its source, so that a refusal can name the source. */
interface Found {
  readonly text: string;
  readonly source: string;
}

/** A mistake of the operator who starts the service: only the message is shown, without a stack. */
export class SettingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SettingError";
  }
}

export function readSettings(mode: Mode, sources: SettingSources): Settings {
  const texts = findAll(mode, sources);
  const values = [...texts].map(([name, found]) => [name, parse(name, found)]);
  const settings = {
    mode,
    warnings: warningsOf(sources),
    ...(Object.fromEntries(values) as Omit<Settings, "mode" | "warnings">),
  };
  requireOwnMachine(settings);
  requireDatabase(settings);
  requireNewKey(settings);
  return Object.freeze(settings);
}

/** The credentials of `dev` are public, so other machines must not reach it by default. */
function requireOwnMachine({ mode, host, allowRemote }: Settings): void {
  if (mode !== "dev" || allowRemote || isLoopbackHost(host)) return;
  throw new SettingError(
    `host ${host} can be reached by other machines, and the credentials of dev are public; give --allow-remote to accept that, or use postrider serve`,
  );
}

function requireDatabase({ requireSynchronousStandby, databaseUrl }: Settings): void {
  if (!requireSynchronousStandby || databaseUrl !== undefined) return;
  throw new SettingError(
    "require-synchronous-standby needs PostgreSQL: SQLite has no standby; give --database-url",
  );
}

function requireNewKey({ secretKey, previousSecretKey }: Settings): void {
  if (previousSecretKey === undefined) return;
  if (secretKey === undefined) {
    throw new SettingError("previous-secret-key needs the new key beside it: give --secret-key");
  }
  if (secretKey === previousSecretKey) {
    throw new SettingError("previous-secret-key is the same as secret-key; remove it");
  }
}

function warningsOf(sources: SettingSources): string[] {
  const file = sources.configFile;
  const fileKeys = file === undefined ? [] : Object.keys(parseConfigFile(file));
  return Object.entries(REMOVED_SETTINGS).flatMap(([name, { says }]) => {
    const places = [
      findFlag(name, sources)?.source,
      findEnvironment(name, sources)?.source,
      fileKeys.some((key) => isNamed(name, key)) ? `${flagOf(name)} in ${file}` : undefined,
    ];
    return places.flatMap((place) =>
      place === undefined ? [] : [`${place} no longer has an effect: ${says}`],
    );
  });
}

/** Where the value of a setting is written, for a refusal of it. */
export function placeOf(name: SettingName, mode: Mode, sources: SettingSources): string {
  const source = findAll(mode, sources).get(name)?.source ?? flagOf(name);
  return source === sources.configFile ? `${flagOf(name)} in ${source}` : source;
}

/** The output of `--print-config`: every setting and its source, with secrets left out. */
export function describeSettings(mode: Mode, sources: SettingSources): string {
  const lines = [...findAll(mode, sources)].map(([name, found]) => {
    parse(name, found);
    const shown = found && rowOf(name).isSecret ? "********" : (found?.text ?? "");
    return `${flagOf(name).padEnd(28)} ${shown.padEnd(28)} ${found?.source ?? "not set"}`.trimEnd();
  });
  return `${lines.join("\n")}\n`;
}

function findAll(mode: Mode, sources: SettingSources): Map<SettingName, Found | undefined> {
  const file = readConfigFile(sources.configFile);
  const texts = new Map<SettingName, Found | undefined>();
  for (const name of NAMES) {
    texts.set(
      name,
      findFlag(name, sources) ??
        findEnvironment(name, sources) ??
        file.get(name) ??
        findDefault(name, mode),
    );
  }
  return texts;
}

function findFlag(name: string, { flags }: SettingSources): Found | undefined {
  const text = Object.hasOwn(flags, name) ? flags[name] : undefined;
  return text === undefined ? undefined : { text, source: `--${flagOf(name)}` };
}

/** An empty variable counts as not set. */
function findEnvironment(name: string, { environment }: SettingSources): Found | undefined {
  const source = environmentOf(name);
  const text = environment[source];
  if (text === undefined || text === "" || isOfKubernetes(source, text)) return undefined;
  return { text, source };
}

/**
 * True for what Kubernetes sets in every container of a namespace with a Service named `postrider`, or
 * `postrider-` and more. Such a variable may bear the name of a setting, as `POSTRIDER_PORT` does.
 */
function isOfKubernetes(name: string, text: string): boolean {
  return SERVICE_ADDRESS.test(name) || (name.endsWith("PORT") && SERVICE_URL.test(text));
}

function findDefault(name: SettingName, mode: Mode): Found | undefined {
  const text = rowOf(name).defaults[mode];
  return text === undefined ? undefined : { text, source: "default" };
}

/** Refuses a variable that looks like a setting and is none: a mistyped name would be ignored silently. */
export function refuseUnknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
): void {
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith(ENVIRONMENT_PREFIX) || text === undefined || text === "") continue;
    if (KNOWN.has(name) || REMOVED.has(name) || isOfKubernetes(name, text)) continue;
    const hint = hintFor(name.slice(ENVIRONMENT_PREFIX.length), KNOWN_WORDS, ENVIRONMENT_PREFIX);
    throw new SettingError(`${name} in the environment is not a setting; ${hint}`);
  }
}

function readConfigFile(path: string | undefined): Map<SettingName, Found> {
  const found = new Map<SettingName, Found>();
  if (path === undefined) return found;
  for (const [key, value] of Object.entries(parseConfigFile(path))) {
    if (Object.keys(REMOVED_SETTINGS).some((removed) => isNamed(removed, key))) continue;
    const name = NAMES.find((known) => isNamed(known, key));
    if (name === undefined) {
      const hint = hintFor(key, NAMES.map(flagOf));
      throw new SettingError(`${path}: ${key} is not a setting; ${hint}`);
    }
    found.set(name, { text: configText(path, key, value), source: path });
  }
  return found;
}

/** What all known names begin with is not compared: it would make any of them near. */
function hintFor(typed: string, known: readonly string[], prefix = ""): string {
  const nearest = nearestName(typed, known);
  return nearest === undefined ? "see postrider serve --help" : `did you mean ${prefix}${nearest}?`;
}

/** Whether a key of the config file names a setting. */
function isNamed(name: string, key: string): boolean {
  return key === name || key === flagOf(name);
}

function parseConfigFile(path: string): object {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new SettingError(`${path}: cannot be read as JSON: ${(error as Error).message}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new SettingError(`${path}: must hold one JSON object`);
  }
  return value;
}

function configText(path: string, key: string, value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) {
    return value.join(",");
  }
  if (["string", "number", "boolean"].includes(typeof value)) return String(value);
  throw new SettingError(
    `${path}: ${key} must be a text, a number, true, false or a list of texts`,
  );
}

function parse(name: SettingName, found: Found | undefined): unknown {
  if (found === undefined) return undefined;
  try {
    return rowOf(name).parse(found.text);
  } catch (error) {
    const from = found.source.includes(flagOf(name)) ? "" : ` (from ${found.source})`;
    throw new SettingError(`${flagOf(name)}${from} ${(error as Error).message}`);
  }
}

function rowOf(name: SettingName): Setting<unknown> {
  return SETTINGS[name];
}

const NAMES = Object.keys(SETTINGS) as SettingName[];
/** Read by the command line, by clients of `@postrider/sdk` and by the tests. */
const OTHER_VARIABLES = ["CONFIG", "URL", "PROFILE", "DEV", "HISTORIES", "SEED"];
const KNOWN: ReadonlySet<string> = new Set([
  ...NAMES.map(environmentOf),
  ...OTHER_VARIABLES.map((name) => `${ENVIRONMENT_PREFIX}${name}`),
]);
const KNOWN_WORDS = [...KNOWN].map((name) => name.slice(ENVIRONMENT_PREFIX.length));
const REMOVED: ReadonlySet<string> = new Set(Object.keys(REMOVED_SETTINGS).map(environmentOf));
const SERVICE_ADDRESS = /_SERVICE_HOST$|_SERVICE_PORT(?:_|$)|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_|$)/;
const SERVICE_URL = /^(?:tcp|udp|sctp):\/\//;
