import colors from "picocolors";
import { type Settings, SETTINGS } from "../../config/settings.ts";
import { VERSION } from "../../config/version.ts";
import type { Credentials } from "../../operations/account/public-credentials.ts";
import { systemClock } from "../../platform/clock.ts";
import { databasePath } from "../../service.ts";
import { serverOf } from "../../store/postgres/driver/errors.ts";
import type { RunningService } from "./run-service.ts";

export interface ReadyFacts {
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** The URL of the service for this machine. */
  readonly url: string;
  /** The console's URL, with the operator's credentials where they are public. */
  readonly console: string;
  readonly credentials: Credentials | null;
  /** Further notes, one line each. */
  readonly notes: readonly string[];
  /** A URL for a first message, ready to be pasted; null when no echo is built in. */
  readonly firstDestination: string | null;
}

/** Tells programs that the service is ready, by its log, and people, where there is an output. */
export function announceReady(
  { service, log, logMode }: RunningService,
  settings: Settings,
  facts: ReadyFacts,
  output: NodeJS.WriteStream | null,
): void {
  const data = dataText(settings);
  if (logMode === "json") log.info("ready", { url: facts.url, port: service.port, data });
  const startMs = systemClock.monotonic() - facts.startedAt;
  output?.write(readyBlock(facts, startMs, data));
}

/** The text printed once the service is ready, with all that a first message needs. */
function readyBlock(facts: ReadyFacts, startMs: number, data: string): string {
  const { url, credentials } = facts;
  const seconds = (startMs / 1_000).toFixed(1);
  const lines = [
    "",
    `  ${colors.bold(`Postrider ${VERSION}`)}   ready in ${seconds} s, running at ${url}`,
    "",
    `  Open   ${url}`,
    `  API    ${url}/v2`,
    `  Docs   ${url}/docs`,
    `  Admin  ${facts.console}`,
    `  Data   ${data}`,
    ...facts.notes.map((note) => `  ${colors.yellow("Note")}   ${note}`),
  ];
  if (credentials !== null) lines.push("", ...environmentLines(url, credentials));
  if (credentials !== null && facts.firstDestination !== null) {
    lines.push("", ...firstMessage(url, facts.firstDestination, credentials.token));
  }
  return `${lines.join("\n")}\n\n`;
}

/** Lines to paste into an application's environment. */
function environmentLines(url: string, credentials: Credentials): string[] {
  return [
    "  Paste into your app's .env (the public QStash SDKs read the same as QSTASH_URL, QSTASH_TOKEN, ...):",
    `    POSTRIDER_URL=${url}`,
    `    POSTRIDER_TOKEN=${credentials.token}`,
    `    POSTRIDER_CURRENT_SIGNING_KEY=${credentials.currentSigningKey}`,
    `    POSTRIDER_NEXT_SIGNING_KEY=${credentials.nextSigningKey}`,
  ];
}

function firstMessage(url: string, destination: string, token: string): string[] {
  return [
    "  Send a first message (to the built-in echo, so that nothing else has to run):",
    `    curl -X POST '${url}/v2/publish/${destination}' \\`,
    `      -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '{"hello":"world"}'`,
  ];
}

/** Where the data is kept: enough to find it, without a password. */
function dataText(settings: Settings): string {
  const { databaseUrl, databaseSchema, mode, data } = settings;
  if (databaseUrl === undefined) {
    const isDefault = data === SETTINGS.data.defaults.dev;
    const reset = `postrider reset${isDefault ? "" : ` --data ${data}`}`;
    const advice = mode === "dev" ? `; ${reset} deletes it` : "";
    return `${databasePath(settings)}  (SQLite, kept between restarts${advice})`;
  }
  const { host, database } = serverOf(databaseUrl);
  return `PostgreSQL at ${host}, database ${database}, schema ${databaseSchema}  (kept between restarts, nodes may share it)`;
}
