import * as parsers from "./parsers.ts";

/** `dev` is for the own machine, `serve` for others. */
export type Mode = "dev" | "serve";

/** One setting: where it is read from, what it means, and what holds when nobody says. */
export interface Setting<Value> {
  readonly parse: (text: string) => Value;
  /** As text, so that `--print-config` shows what one would write. */
  readonly defaults: Readonly<Record<Mode, string | undefined>>;
  readonly says: string;
  /** What stands for the value in `--help`; absent for a flag that needs none. */
  readonly placeholder?: string;
  /** Never printed. */
  readonly isSecret?: boolean;
  /** Not taken from the command line, where others could read it. */
  readonly isFlagless?: boolean;
}

/** Every setting of the service. Flags, environment variables and the config file come from here. */
export const SETTINGS = {
  host: setting({
    parse: parsers.parseText,
    defaults: { dev: "127.0.0.1", serve: "0.0.0.0" },
    placeholder: "<address>",
    says: "Address to listen on; in dev one of loopback, unless --allow-remote is given.",
  }),
  allowRemote: setting({
    parse: parsers.parseFlag,
    defaults: { dev: "false", serve: "false" },
    says: "In dev: listen on other addresses than loopback, and answer to any Host. Everybody knows the credentials of dev.",
  }),
  port: setting({
    parse: parsers.parsePort,
    defaults: { dev: "8080", serve: "8080" },
    placeholder: "<port>",
    says: "Port to listen on; dev takes the next free one when it is taken.",
  }),
  data: setting({
    parse: parsers.parseText,
    defaults: { dev: "./.postrider", serve: "./postrider-data" },
    placeholder: "<folder>",
    says: "Folder of the SQLite database and the secret key.",
  }),
  databaseUrl: setting({
    parse: parsers.parseDatabaseUrl,
    defaults: { dev: undefined, serve: undefined },
    placeholder: "<url>",
    isSecret: true,
    says: "PostgreSQL to use instead of SQLite; several nodes may share one.",
  }),
  databaseSchema: setting({
    parse: parsers.parseSchemaName,
    defaults: { dev: "postrider", serve: "postrider" },
    placeholder: "<name>",
    says: "Schema in PostgreSQL that holds every table; created if missing, refused if it holds tables of another program.",
  }),
  publicUrl: setting({
    parse: parsers.parseHttpUrl,
    defaults: { dev: undefined, serve: undefined },
    placeholder: "<url>",
    says: "Address under which callers reach the service, where it differs.",
  }),
  trustedProxies: setting({
    parse: parsers.parseNetworks,
    defaults: { dev: "", serve: "" },
    placeholder: "<list>",
    says: "Networks of proxies whose X-Forwarded-For is believed, separated by commas.",
  }),
  region: setting({
    parse: parsers.parseText,
    defaults: { dev: "LOCAL", serve: "LOCAL" },
    placeholder: "<name>",
    says: "What destinations see as the region.",
  }),
  egressAllow: setting({
    parse: parsers.parseAllowList,
    defaults: { dev: "", serve: "" },
    placeholder: "<list>",
    says: "Hosts and networks, each with or without :port, that may be called although they are private, separated by commas.",
  }),
  egressProxy: setting({
    parse: parsers.parseProxy,
    defaults: { dev: undefined, serve: undefined },
    placeholder: "<url>",
    isSecret: true,
    says: "HTTP proxy that every delivery goes through, as http[s]://[user:password@]host:port.",
  }),
  egressCa: setting({
    parse: parsers.parseText,
    defaults: { dev: undefined, serve: undefined },
    placeholder: "<file>",
    says: "PEM file of authorities that are trusted beside the usual ones.",
  }),
  httpsOnly: setting({
    parse: parsers.parseFlag,
    defaults: { dev: "false", serve: "false" },
    says: "Refuse destinations that are not https.",
  }),
  channels: setting({
    parse: parsers.parseFlag,
    defaults: { dev: "false", serve: "false" },
    says: "Let steps of workflows travel together to endpoints that take channels.",
  }),
  consolePort: setting({
    parse: parsers.parsePort,
    defaults: { dev: undefined, serve: undefined },
    placeholder: "<port>",
    says: "Port of the console interface, /v2/svc, where it is not to be on the same as the rest.",
  }),
  adminUser: setting({
    parse: parsers.parseUser,
    defaults: { dev: "admin", serve: "admin" },
    placeholder: "<name>",
    says: "Name of the operator, who may manage every account.",
  }),
  adminPassword: setting({
    parse: parsers.parsePassword,
    defaults: { dev: "postrider", serve: undefined },
    placeholder: "<text>",
    isSecret: true,
    says: "Password of the operator; serve draws one at its first start unless given.",
  }),
  secretKey: setting({
    parse: parsers.parseSecret,
    defaults: { dev: undefined, serve: undefined },
    placeholder: "<text>",
    isSecret: true,
    says: "Encrypts signing keys at rest; with SQLite kept in the data folder unless given.",
  }),
  maxBatchBytes: setting({
    parse: parsers.parseBytes,
    defaults: { dev: "100MB", serve: "100MB" },
    placeholder: "<size>",
    says: "What one call may bring: a batch, or a message times the endpoints of its group.",
  }),
  maxLogBytes: setting({
    parse: parsers.parseBytes,
    defaults: { dev: "2GB", serve: "2GB" },
    placeholder: "<size>",
    says: "With more than this in the SQLite file, what has ended is removed before its time.",
  }),
  minFreeDisk: setting({
    parse: parsers.parseBytes,
    defaults: { dev: "512MB", serve: "512MB" },
    placeholder: "<size>",
    says: "With less disk free than this, publishing is refused.",
  }),
  paused: setting({
    parse: parsers.parseFlag,
    defaults: { dev: "false", serve: "false" },
    says: "Start with all deliveries paused, on every node, until postrider resume: for a service restored from a backup.",
  }),
  shutdownGrace: setting({
    parse: parsers.parseGrace,
    defaults: { dev: "30s", serve: "30s" },
    placeholder: "<duration>",
    says: "How long a stop waits for what is under way. Five seconds later it has ended, whatever hangs.",
  }),
  log: setting({
    parse: parsers.parseChoice("json", "pretty", "quiet"),
    defaults: { dev: undefined, serve: undefined },
    placeholder: "<form>",
    says: "json, pretty or quiet; pretty in a terminal and json elsewhere unless given.",
  }),
  token: setting({
    parse: parsers.parseToken,
    defaults: { dev: undefined, serve: undefined },
    isSecret: true,
    isFlagless: true,
    says: "Token of the first account, at the first start of serve; drawn unless given. The account has the id that it names.",
  }),
  readOnlyToken: setting({
    parse: parsers.parseToken,
    defaults: { dev: undefined, serve: undefined },
    isSecret: true,
    isFlagless: true,
    says: "Token that may only read, likewise.",
  }),
  currentSigningKey: setting({
    parse: parsers.parseToken,
    defaults: { dev: undefined, serve: undefined },
    isSecret: true,
    isFlagless: true,
    says: "Signing key of the first account, likewise.",
  }),
  nextSigningKey: setting({
    parse: parsers.parseToken,
    defaults: { dev: undefined, serve: undefined },
    isSecret: true,
    isFlagless: true,
    says: "Signing key that comes after it, likewise.",
  }),
} as const;

export type SettingName = keyof typeof SETTINGS;

type ValueOf<Row> = Row extends Setting<infer Value> ? Value : never;

/** Settings that always have a value are those with a default; the others may be undefined. */
export type Settings = { readonly mode: Mode } & {
  readonly [Name in SettingName]: HasDefault<(typeof SETTINGS)[Name]> extends true
    ? ValueOf<(typeof SETTINGS)[Name]>
    : ValueOf<(typeof SETTINGS)[Name]> | undefined;
};

type HasDefault<Row> = Row extends {
  readonly defaults: { readonly dev: string; readonly serve: string };
}
  ? true
  : false;

/** `databaseUrl` as `database-url` and as `POSTRIDER_DATABASE_URL`. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export function environmentOf(name: string): string {
  return `POSTRIDER_${flagOf(name).replaceAll("-", "_").toUpperCase()}`;
}

function setting<const Row extends Setting<unknown>>(
  row: Row,
): Row & Setting<ReturnType<Row["parse"]>> {
  return row as Row & Setting<ReturnType<Row["parse"]>>;
}
