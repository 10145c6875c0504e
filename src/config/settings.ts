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

/**
 * Every setting of the service. Flags, environment variables and the config file are derived from
 * it.
 */
export const SETTINGS = {
  host: setting({
    parse: parsers.parseText,
    defaults: { dev: "127.0.0.1", serve: "0.0.0.0" },
    placeholder: "<address>",
    says: "Address to listen on. In dev it must be a loopback address unless --allow-remote is given.",
  }),
  allowRemote: setting({
    parse: parsers.parseFlag,
    defaults: { dev: "false", serve: "false" },
    says: "In dev: listen on other addresses than loopback and answer any Host. The credentials of dev are public.",
  }),
  port: setting({
    parse: parsers.parsePort,
    defaults: { dev: "8080", serve: "8080" },
    placeholder: "<port>",
    says: "Port to listen on. If it is taken, dev uses the next free one.",
  }),
  data: setting({
    parse: parsers.parseText,
    defaults: { dev: "./.postrider", serve: "./postrider-data" },
    placeholder: "<folder>",
    says: "Folder for the SQLite database and the secret key.",
  }),
  databaseUrl: setting({
    parse: parsers.parseDatabaseUrl,
    defaults: { dev: undefined, serve: undefined },
    placeholder: "<url>",
    isSecret: true,
    says: "PostgreSQL to use instead of SQLite. Several nodes may share it.",
  }),
  databaseSchema: setting({
    parse: parsers.parseSchemaName,
    defaults: { dev: "postrider", serve: "postrider" },
    placeholder: "<name>",
    says: "Schema in PostgreSQL that holds every table; created if missing, refused if it holds tables of another program.",
  }),
  requireSynchronousStandby: setting({
    parse: parsers.parseFlag,
    defaults: { dev: "false", serve: "false" },
    says: "Refuse publishing with 503 while PostgreSQL names no synchronous standby, so that a failover loses nothing that was accepted.",
  }),
  nodeName: setting({
    parse: parsers.parseNodeName,
    defaults: { dev: undefined, serve: undefined },
    placeholder: "<name>",
    says: "Name of this node in lists, logs, metrics and alerts. Default: the host name.",
  }),
  publicUrl: setting({
    parse: parsers.parseHttpUrl,
    defaults: { dev: undefined, serve: undefined },
    placeholder: "<url>",
    says: "Address under which clients reach the server, if it differs from host and port.",
  }),
  trustedProxies: setting({
    parse: parsers.parseNetworks,
    defaults: { dev: "", serve: "" },
    placeholder: "<list>",
    says: "Networks of proxies whose X-Forwarded-For is trusted, separated by commas.",
  }),
  region: setting({
    parse: parsers.parseText,
    defaults: { dev: "LOCAL", serve: "LOCAL" },
    placeholder: "<name>",
    says: "The region that deliveries name in Svc-Region.",
  }),
  dialect: setting({
    parse: parsers.parseChoice(...DIALECT_CHOICES),
    defaults: { dev: "both", serve: "both" },
    placeholder: "<name>",
    says: "svc, upstash or both: headers of a message that was published without a Svc- or Upstash- header. An account can choose for itself.",
  }),
  egressAllow: setting({
    parse: parsers.parseAllowList,
    defaults: { dev: "", serve: "" },
    placeholder: "<list>",
    says: "Private hosts and networks that deliveries may call, each with or without :port, separated by commas.",
  }),
  egressProxy: setting({
    parse: parsers.parseProxy,
    defaults: { dev: undefined, serve: undefined },
    placeholder: "<url>",
    isSecret: true,
    says: "HTTP proxy for every delivery, as http[s]://[user:password@]host:port.",
  }),
  egressCa: setting({
    parse: parsers.parseText,
    defaults: { dev: undefined, serve: undefined },
    placeholder: "<file>",
    says: "PEM file of certificate authorities to trust besides the usual ones.",
  }),
  httpsOnly: setting({
    parse: parsers.parseFlag,
    defaults: { dev: "false", serve: "false" },
    says: "Refuse destinations that are not https://.",
  }),
  consolePort: setting({
    parse: parsers.parsePort,
    defaults: { dev: undefined, serve: undefined },
    placeholder: "<port>",
    says: "A separate port for the console interface, /v2/svc.",
  }),
  adminUser: setting({
    parse: parsers.parseUser,
    defaults: { dev: "admin", serve: "admin" },
    placeholder: "<name>",
    says: "Name of the operator, who manages all accounts.",
  }),
  adminPassword: setting({
    parse: parsers.parsePassword,
    defaults: { dev: "postrider", serve: undefined },
    placeholder: "<text>",
    isSecret: true,
    says: "Password of the operator. serve generates it at first start and prints it once.",
  }),
  secretKey: setting({
    parse: parsers.parseSecret,
    defaults: { dev: undefined, serve: undefined },
    placeholder: "<text>",
    isSecret: true,
    says: "Encrypts signing keys at rest. With SQLite it is generated and kept in the data folder; with PostgreSQL you must give it.",
  }),
  metricsToken: setting({
    parse: parsers.parseSecret,
    defaults: { dev: undefined, serve: undefined },
    placeholder: "<text>",
    isSecret: true,
    says: "Lets monitoring on other machines read `/metrics`, as a Bearer token. The machine itself needs none.",
  }),
  maxBatchBytes: setting({
    parse: parsers.parseBytes,
    defaults: { dev: "100MB", serve: "100MB" },
    placeholder: "<size>",
    says: "Largest request: a batch, or a message times the endpoints of its URL group.",
  }),
  maxLogBytes: setting({
    parse: parsers.parseBytes,
    defaults: { dev: "2GB", serve: "2GB" },
    placeholder: "<size>",
    says: "When the SQLite file holds more than this, ended messages are deleted early.",
  }),
  minFreeDisk: setting({
    parse: parsers.parseBytes,
    defaults: { dev: "512MB", serve: "512MB" },
    placeholder: "<size>",
    says: "When less disk is free than this, publishing is refused.",
  }),
  paused: setting({
    parse: parsers.parseFlag,
    defaults: { dev: "false", serve: "false" },
    says: "Start with all deliveries paused, on every node, until postrider resume. Use it after restoring a backup.",
  }),
  drain: setting({
    parse: parsers.parseGrace,
    defaults: { dev: "0s", serve: undefined },
    placeholder: "<duration>",
    says: "How long a stop still accepts requests after `/readyz` answers 503, so that balancers lose none. Default of serve: 5s with PostgreSQL, else 0s.",
  }),
  shutdownGrace: setting({
    parse: parsers.parseGrace,
    defaults: { dev: "30s", serve: "30s" },
    placeholder: "<duration>",
    says: "How long a stop, after the drain, waits for attempts in progress. The process ends at most five seconds later.",
  }),
  log: setting({
    parse: parsers.parseChoice("json", "pretty", "quiet"),
    defaults: { dev: undefined, serve: undefined },
    placeholder: "<form>",
    says: "json, pretty or quiet. Default: pretty in a terminal, json elsewhere.",
  }),
  token: setting({
    parse: parsers.parseToken,
    defaults: { dev: undefined, serve: undefined },
    isSecret: true,
    isFlagless: true,
    says: "Token of the first account, read at the first start of serve. Generated if absent. The account gets the id in the token.",
  }),
  readOnlyToken: setting({
    parse: parsers.parseToken,
    defaults: { dev: undefined, serve: undefined },
    isSecret: true,
    isFlagless: true,
    says: "Read-only token of the first account, read at the first start.",
  }),
  currentSigningKey: setting({
    parse: parsers.parseToken,
    defaults: { dev: undefined, serve: undefined },
    isSecret: true,
    isFlagless: true,
    says: "Signing key of the first account, read at the first start.",
  }),
  nextSigningKey: setting({
    parse: parsers.parseToken,
    defaults: { dev: undefined, serve: undefined },
    isSecret: true,
    isFlagless: true,
    says: "Next signing key of the first account, read at the first start.",
  }),
} as const;

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

function setting<const Row extends Setting<unknown>>(
  row: Row,
): Row & Setting<ReturnType<Row["parse"]>> {
  return row as Row & Setting<ReturnType<Row["parse"]>>;
}
