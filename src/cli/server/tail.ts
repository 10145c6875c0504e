import colors from "picocolors";
import type { AttemptReport } from "../../engine/engine-options.ts";
import { type Clock, systemClock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import { destinationHelp } from "./destination-help.ts";

/** Prints one line for each attempt, and remembers the last ones for the keys of `dev`. */
export class AttemptTail {
  /** The address of the dashboard, once it is known. */
  url: string | undefined;
  /** The clock of the service, once it has started. */
  clock: Pick<Clock, "now"> = systemClock;
  last: AttemptReport | undefined;
  lastFailure: AttemptReport | undefined;

  readonly print = (report: AttemptReport): void => {
    this.last = report;
    if (report.verdict.kind === "retry" || report.verdict.kind === "dead")
      this.lastFailure = report;
    process.stdout.write(`  ${attemptLine(report, this.clock.now(), this.url)}\n`);
  };
}

/** Logs one entry for each attempt, without paths, headers and bodies, which may be private. */
export function logAttempts(log: Log): (report: AttemptReport) => void {
  return (report) => {
    const { message, number, status, error, durationMs, verdict } = report;
    log.info("attempt", {
      accountId: message.accountId,
      messageId: message.messageId,
      kind: message.kind,
      method: message.method,
      origin: URL.parse(message.url)?.origin,
      attempt: number,
      status,
      error,
      durationMs: Math.round(durationMs),
      verdict: verdict.kind,
      retryAt: verdict.kind === "retry" ? verdict.readyAt : undefined,
    });
  };
}

/** With the address of the dashboard, a terminal opens the page of the message by its id; a file has its URL. */
export function attemptLine(report: AttemptReport, now: number, dashboard?: string): string {
  const { message, status, durationMs } = report;
  const page = dashboard === undefined ? "" : `${dashboard}/messages/${message.messageId}`;
  const isLinked = page !== "" && process.stdout.isTTY && colors.isColorSupported;
  return [
    colors.dim(timeText(now)),
    isLinked ? hyperlink(page, message.messageId) : message.messageId,
    shortened(`${message.method} ${destinationText(message.url)}`).padEnd(REQUEST_WIDTH),
    statusText(status),
    `${Math.round(durationMs)} ms`.padStart(DURATION_WIDTH),
    verdictText(report, now),
    ...(page === "" || isLinked ? [] : [page]),
  ].join("  ");
}

/** A link of OSC 8, which terminals that do not know it leave out. */
function hyperlink(url: string, text: string): string {
  return `\u001b]8;;${url}\u0007${text}\u001b]8;;\u0007`;
}

function timeText(now: number): string {
  return new Date(now).toTimeString().slice(0, 8);
}

/** The destination without control characters, which a terminal would obey. */
function destinationText(url: string): string {
  const read = URL.parse(url);
  const destination =
    read === null ? url : `${isLocal(read) ? "" : read.host}${read.pathname}${read.search}`;
  return destination.replace(/[^\x21-\x7e]/g, "?");
}

function shortened(text: string): string {
  return text.length > REQUEST_WIDTH ? `${text.slice(0, REQUEST_WIDTH - 1)}…` : text;
}

function isLocal({ hostname, pathname }: URL): boolean {
  return hostname === "127.0.0.1" && /^\/(?:echo|dev\/workflow)\//.test(pathname);
}

/** Padded before it is colored: color codes have a length but no width. */
function statusText(status: number): string {
  const text = (status === 0 ? "–" : String(status)).padStart(STATUS_WIDTH);
  return status >= 200 && status < 300 ? colors.green(text) : colors.red(text);
}

function verdictText(report: AttemptReport, now: number): string {
  const { verdict, message, number, status, error } = report;
  const why = [error, destinationHelp(message.url, status, error)].filter(Boolean).join(": ");
  const reason = why === "" ? "" : ` ${colors.dim(`(${why})`)}`;
  switch (verdict.kind) {
    case "delivered":
      return colors.green(number === 1 ? "delivered" : `delivered at attempt ${number}`);
    case "retry":
      return `${colors.yellow(`retry ${number} of ${message.settings.retries} in ${waitText(verdict.readyAt - now)}`)}${reason}`;
    case "dead":
      return `${colors.red("dead-lettered")}${reason}`;
    case "canceled":
      return colors.dim("canceled");
    case "stale":
      return colors.dim("taken over");
  }
}

function waitText(waitMs: number): string {
  const seconds = Math.max(0, waitMs) / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

const REQUEST_WIDTH = 40;
const STATUS_WIDTH = 3;
/** Up to 15 minutes, which an attempt rarely exceeds. */
const DURATION_WIDTH = 9;
