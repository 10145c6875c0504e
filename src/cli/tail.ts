import colors from "picocolors";
import type { AttemptReport } from "../engine/engine-options.ts";
import { systemClock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";

/** One line for each attempt, for whoever watches the terminal. */
export function printAttempts(
  write: (line: string) => void = (line) => process.stdout.write(line),
): (report: AttemptReport) => void {
  return (report) => write(`  ${attemptLine(report, systemClock.now())}\n`);
}

/** One entry for each attempt. Paths, headers and bodies may be private, and are left out. */
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

export function attemptLine(report: AttemptReport, now: number): string {
  const { message, status, durationMs } = report;
  return [
    colors.dim(timeText(now)),
    message.messageId,
    shortened(`${message.method} ${placeText(message.url)}`).padEnd(REQUEST_WIDTH),
    statusText(status),
    `${Math.round(durationMs)} ms`.padStart(DURATION_WIDTH),
    verdictText(report, now),
  ].join("  ");
}

function timeText(now: number): string {
  return new Date(now).toTimeString().slice(0, 8);
}

/** Where it went, without what a terminal would take for an order. */
function placeText(url: string): string {
  const read = URL.parse(url);
  const place =
    read === null ? url : `${isLocal(read) ? "" : read.host}${read.pathname}${read.search}`;
  return place.replace(/[^\x21-\x7e]/g, "?");
}

function shortened(text: string): string {
  return text.length > REQUEST_WIDTH ? `${text.slice(0, REQUEST_WIDTH - 1)}…` : text;
}

function isLocal({ hostname, pathname }: URL): boolean {
  return hostname === "127.0.0.1" && pathname.startsWith("/echo/");
}

/** Padded before it is colored: codes of colors have no width, but they have a length. */
function statusText(status: number): string {
  const text = (status === 0 ? "–" : String(status)).padStart(STATUS_WIDTH);
  return status >= 200 && status < 300 ? colors.green(text) : colors.red(text);
}

function verdictText({ verdict, message, number, error }: AttemptReport, now: number): string {
  const reason = error === undefined ? "" : ` ${colors.dim(`(${error})`)}`;
  switch (verdict.kind) {
    case "delivered":
      return colors.green(number === 1 ? "delivered" : `delivered at attempt ${number}`);
    case "retry":
      return `${colors.yellow(`retry ${number} of ${message.retries} in ${waitText(verdict.readyAt - now)}`)}${reason}`;
    case "dead":
      return `${colors.red("dead-lettered")}${reason}`;
    case "cancelled":
      return colors.dim("cancelled");
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
/** Up to 15 minutes, which no attempt passes as a rule. */
const DURATION_WIDTH = 9;
