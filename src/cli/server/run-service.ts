import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openFilesNotes } from "../../config/open-files.ts";
import { nodeNameOf, type Settings } from "../../config/settings.ts";
import type { Log } from "../../platform/log.ts";
import { createLogger, type Logger, type LogMode } from "../../platform/logger.ts";
import { type Service, type ServiceOptions, startService } from "../../service.ts";
import { AttemptTail, logAttempts } from "./tail.ts";

export interface RunningService {
  readonly service: Service;
  readonly log: Logger;
  readonly logMode: LogMode;
  readonly tail: AttemptTail;
}

/** Starts the service in this process, which ends with it. */
export async function runService(
  settings: Settings,
  onPrepared?: ServiceOptions["onPrepared"],
): Promise<RunningService> {
  const isRead = settings.mode === "dev" || process.stdout.isTTY;
  const logMode = settings.log ?? (isRead ? "pretty" : "json");
  const log = createLogger(logMode, nodeNameOf(settings));
  const tail = new AttemptTail();
  const die = (event: string, error: unknown): void => {
    log.error(event, { error });
    log.close();
    process.exit(1);
  };
  process.on("uncaughtException", (error) => die("uncaught exception", error));
  process.on("unhandledRejection", (error) => die("unhandled rejection", error));
  // The reader of the output may go: a write that fails then must not end the service.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => undefined);
  let end: ReturnType<typeof endWithSignals> | undefined;
  const service = await startService(settings, {
    log,
    onPrepared,
    onAttempt:
      logMode === "pretty" ? tail.print : logMode === "json" ? logAttempts(log) : undefined,
    onFatal: (error) => die("the service cannot continue", error),
    onMoved: (to) => end?.(`the data was moved to ${to}; start there, with the same secret key`, 0),
  });
  tail.clock = service.clock;
  buildDashboard(log);
  end = endWithSignals(service, log);
  reportRecovery(service, log);
  const notes = [...settings.warnings, ...pauseNotes(service), ...openFilesNotes()];
  for (const note of notes) log.warn(note);
  return { service, log, logMode, tail };
}

/** In a checkout, builds the dashboard beside the running service when its sources have changed. */
function buildDashboard(log: Log): void {
  const program = join(ROOT, "dashboard", "build.mjs");
  if (!import.meta.url.endsWith(".ts") || !existsSync(program)) return;
  const child = spawn(process.execPath, [program], { stdio: ["ignore", "ignore", "pipe"] });
  child.unref();
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (complaint.length < COMPLAINT_CHARACTERS_MAX) complaint += text;
  });
  child.once("error", (error) => log.warn(NOT_BUILT, { error }));
  child.once("close", (code) => {
    if (code !== 0) log.warn(NOT_BUILT, { code, complaint });
  });
}

/**
 * The first signal waits for attempts in progress to finish; the second one does not. Returns what ends
 * the process for another reason, once.
 */
function endWithSignals(service: Service, log: Logger): (reason: string, graceMs: number) => void {
  let isStopping = false;
  const stop = async (graceMs?: number): Promise<void> => {
    isStopping = true;
    await service.stop(graceMs);
    log.info("stopped");
    log.close();
    process.exit(0);
  };
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    process.on(name, () => {
      if (isStopping) process.exit(130);
      log.info("stopping; attempts in progress finish first", { signal: name });
      void stop();
    });
  }
  return (reason, graceMs) => {
    if (isStopping) return;
    log.warn(reason);
    void stop(graceMs);
  };
}

function reportRecovery({ recovery }: Service, log: Logger): void {
  const { resumed, canceled, waiting } = recovery;
  if (resumed + canceled + waiting === 0) return;
  const found = [
    resumed > 0 ? `${resumed} ${messages(resumed)} that ${was(resumed)} being sent` : "",
    canceled > 0 ? `${canceled} canceled` : "",
    waiting > 0 ? `${waiting} waiting` : "",
  ].filter(Boolean);
  log.info(`recovered ${found.join(", ")}`);
}

const messages = (count: number): string => (count === 1 ? "message" : "messages");
const was = (count: number): string => (count === 1 ? "was" : "were");

/** The notes of the ready block and the log about a service that starts with deliveries paused. */
export function pauseNotes({ isPaused }: Pick<Service, "isPaused">): string[] {
  return isPaused ? [PAUSED] : [];
}

const PAUSED =
  "deliveries are paused: messages are accepted and nothing is sent until postrider resume";
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const COMPLAINT_CHARACTERS_MAX = 10_000;
const NOT_BUILT = "the dashboard could not be built; the API works without it";
