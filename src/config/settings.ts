import { DIALECT_CHOICES } from "../core/model/message/message.ts";
import { hostname } from "node:os";
import * as parsers from "./parsers.ts";

/** `dev` serves one developer on one machine, `serve` serves other machines. */
export type Mode = "dev" | "serve";

/** One setting: its sources, its meaning and its default. */
export interface Setting<Value> {
  readonly parse: (text: string) => Value;
  /** As text, so that `--print-config` shows what an operator would write. */
  readonly defaults: Readonly<Record<Mode, string | undefined>>;
  readonly says: string;
  /** The value's placeholder in `--help`; absent for a flag without a value. */
  readonly placeholder?: string;
  /** Never printed. */
  readonly isSecret?: boolean;
  /** Not accepted on the command line, where other users of the machine could read it. */
  readonly isFlagless?: boolean;
}

const FLAG = { parse: parsers.parseFlag, defaults: both("false") };
const PORT = value(parsers.parsePort, "<port>");
const SIZE = value(parsers.parseBytes, "<size>");
const DURATION = value(parsers.parseGrace, "<duration>");
/** Credentials of the first account. */
const FIRST_ACCOUNT = {
  parse: parsers.parseToken,
  defaults: both(undefined),
  isSecret: true,
  isFlagless: true,
};

/**
 * Every setting of the service. Flags, environment variables and the config file are derived from
 * it.
 */
export const SETTINGS = {
  host: {
    ...value(parsers.parseText, "<address>"),
    defaults: { dev: "127.0.0.1", serve: "0.0.0.0" },
    says: "Address to listen on. In dev it must be a loopback address unless --allow-remote is given.",
  },
  allowRemote: {
    ...FLAG,
    says: "In dev: listen on other addresses than loopback and answer any Host. The credentials of dev are public.",
  },
  port: {
    ...PORT,
    defaults: both("8080"),
    says: "Port to listen on. If it is taken, dev uses the next free one.",
  },
  data: {
    ...value(parsers.parseText, "<folder>"),
    defaults: { dev: "./.postrider", serve: "./postrider-data" },
    says: "Folder for the SQLite database and the secret key.",
  },
  databaseUrl: {
    ...secret(parsers.parseDatabaseUrl, "<url>"),
    says: "PostgreSQL to use instead of SQLite. Several nodes may share it.",
  },
  databaseSchema: {
    ...value(parsers.parseSchemaName, "<name>"),
    defaults: both("postrider"),
    says: "Schema in PostgreSQL that holds every table; created if missing, refused if it holds tables of another program.",
  },
  requireSynchronousStandby: {
    ...FLAG,
    says: "Refuse publishing with 503 while PostgreSQL names no synchronous standby, so that a failover loses nothing that was accepted.",
  },
  nodeName: {
    ...value(parsers.parseNodeName, "<name>"),
    says: "Name of this node in lists, logs, metrics and alerts. Default: the host name.",
  },
  publicUrl: {
    ...value(parsers.parseHttpUrl, "<url>"),
    says: "Address under which clients reach the server, if it differs from host and port.",
  },
  trustedProxies: {
    ...value(parsers.parseNetworks, "<list>"),
    defaults: both(""),
    says: "Networks of proxies whose X-Forwarded-For is trusted, separated by commas.",
  },
  region: {
    ...value(parsers.parseText, "<name>"),
    defaults: both("LOCAL"),
    says: "The region that deliveries name in Svc-Region.",
  },
  dialect: {
    ...value(parsers.parseChoice(...DIALECT_CHOICES), "<name>"),
    defaults: both("both"),
    says: "svc, upstash or both: headers of a message that was published without a Svc- or Upstash- header. An account can choose for itself.",
  },
  egressAllow: {
    ...value(parsers.parseAllowList, "<list>"),
    defaults: both(""),
    says: "Private hosts and networks that deliveries may call, each with or without :port, separated by commas.",
  },
  egressProxy: {
    ...secret(parsers.parseProxy, "<url>"),
    says: "HTTP proxy for every delivery, as http[s]://[user:password@]host:port.",
  },
  egressCa: {
    ...value(parsers.parseText, "<file>"),
    says: "PEM file of certificate authorities to trust besides the usual ones.",
  },
  httpsOnly: {
    ...FLAG,
    says: "Refuse destinations that are not https://.",
  },
  consolePort: {
    ...PORT,
    says: "A separate port for the console interface, /v2/svc.",
  },
  adminUser: {
    ...value(parsers.parseUser, "<name>"),
    defaults: both("admin"),
    says: "Name of the operator, who manages all accounts.",
  },
  adminPassword: {
    ...secret(parsers.parsePassword, "<text>"),
    defaults: { dev: "postrider", serve: undefined },
    says: "Password of the operator. serve generates it at first start and prints it once.",
  },
  secretKey: {
    ...secret(parsers.parseSecret, "<text>"),
    says: "Encrypts signing keys at rest. With SQLite it is generated and kept in the data folder; with PostgreSQL you must give it.",
  },
  previousSecretKey: {
    ...secret(parsers.parseSecret, "<text>"),
    says: "The secret key before a new `--secret-key`, on every node until `postrider secret rotate` says that it can be removed.",
  },
  metricsToken: {
    ...secret(parsers.parseSecret, "<text>"),
    says: "Lets monitoring on other machines read `/metrics`, as a Bearer token. The machine itself needs none.",
  },
  maxBatchBytes: {
    ...SIZE,
    defaults: both("100MB"),
    says: "Largest request: a batch, or a message times the endpoints of its URL group.",
  },
  maxLogBytes: {
    ...SIZE,
    defaults: both("2GB"),
    says: "When the SQLite file holds more than this, ended messages are deleted early.",
  },
  minFreeDisk: {
    ...SIZE,
    defaults: both("512MB"),
    says: "When less disk is free than this, publishing is refused.",
  },
  paused: {
    ...FLAG,
    says: "Start with all deliveries paused, on every node, until postrider resume. Use it after restoring a backup.",
  },
  drain: {
    ...DURATION,
    defaults: { dev: "0s", serve: undefined },
    says: "How long a stop still accepts requests after `/readyz` answers 503, so that balancers lose none. Default of serve: 5s with PostgreSQL, else 0s.",
  },
  shutdownGrace: {
    ...DURATION,
    defaults: both("30s"),
    says: "How long a stop, after the drain, waits for attempts in progress. The process ends at most five seconds later.",
  },
  log: {
    ...value(parsers.parseChoice("json", "pretty", "quiet"), "<form>"),
    says: "json, pretty or quiet. Default: pretty in dev and in a terminal, json elsewhere.",
  },
  token: {
    ...FIRST_ACCOUNT,
    says: "Token of the first account, read at the first start of serve. Generated if absent. The account gets the id in the token.",
  },
  readOnlyToken: {
    ...FIRST_ACCOUNT,
    says: "Read-only token of the first account, read at the first start.",
  },
  currentSigningKey: {
    ...FIRST_ACCOUNT,
    says: "Signing key of the first account, read at the first start.",
  },
  nextSigningKey: {
    ...FIRST_ACCOUNT,
    says: "Next signing key of the first account, read at the first start.",
  },
} as const satisfies Readonly<Record<string, Setting<unknown>>>;

/** A setting of an earlier version. Where it is still given, it changes nothing, and the log says so. */
export interface RemovedSetting {
  /** The value's placeholder; absent for a flag without a value. */
  readonly placeholder?: string;
  /** How it is now. */
  readonly says: string;
}

export const REMOVED_SETTINGS: Readonly<Record<string, RemovedSetting>> = {
  channels: { says: "each workflow step is a request of its own" },
};

export type SettingName = keyof typeof SETTINGS;

type ValueOf<Row> = Row extends Setting<infer Value> ? Value : never;

/** Settings with a default always have a value; the others may be undefined. */
export type Settings = {
  readonly mode: Mode;
  /** What the log tells the operator about the settings, in sentences. */
  readonly warnings: readonly string[];
} & {
  readonly [Name in SettingName]: HasDefault<(typeof SETTINGS)[Name]> extends true
    ? ValueOf<(typeof SETTINGS)[Name]>
    : ValueOf<(typeof SETTINGS)[Name]> | undefined;
};

type HasDefault<Row> = Row extends {
  readonly defaults: { readonly dev: string; readonly serve: string };
}
  ? true
  : false;

export const ENVIRONMENT_PREFIX = "POSTRIDER_";

/** The name of this node for people. */
export function nodeNameOf({ nodeName }: Settings): string {
  return nodeName ?? hostname();
}

/** `databaseUrl` as `database-url` and as `POSTRIDER_DATABASE_URL`. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export function environmentOf(name: string): string {
  return `${ENVIRONMENT_PREFIX}${flagOf(name).replaceAll("-", "_").toUpperCase()}`;
}

/** A setting with a value, which has no default unless its row gives one. */
function value<Value>(parse: (text: string) => Value, placeholder: string) {
  return { parse, placeholder, defaults: both(undefined) };
}

function secret<Value>(parse: (text: string) => Value, placeholder: string) {
  return { ...value(parse, placeholder), isSecret: true };
}

/** The same default in both modes. */
function both<const Text extends string | undefined>(text: Text): Readonly<Record<Mode, Text>> {
  return { dev: text, serve: text };
}
