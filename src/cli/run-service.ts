import { openFilesNotes } from "../config/open-files.ts";
import { nodeNameOf, type Settings } from "../config/settings.ts";
import { createLogger, type Logger, type LogMode } from "../platform/logger.ts";
import { type Service, startService } from "../service.ts";
import { buildDashboard } from "./build-dashboard.ts";
import { pauseNotes } from "./ready-block.ts";
import { logAttempts, printAttempts } from "./tail.ts";

export interface RunningService {
  readonly service: Service;
  readonly log: Logger;
  readonly logMode: LogMode;
}

/** Starts the service in this process, which ends with it. */
export async function runService(settings: Settings): Promise<RunningService> {
  const logMode = settings.log ?? (process.stdout.isTTY ? "pretty" : "json");
  const log = createLogger(logMode, nodeNameOf(settings));
  const die = (event: string, error: unknown): void => {
    log.error(event, { error });
    log.close();
    process.exit(1);
  };
  process.on("uncaughtException", (error) => die("uncaught exception", error));
  process.on("unhandledRejection", (error) => die("unhandled rejection", error));
  const service = await startService(settings, {
    log,
    onAttempt:
      logMode === "pretty" ? printAttempts() : logMode === "json" ? logAttempts(log) : undefined,
    onFatal: (error) => die("the service cannot continue", error),
  });
  buildDashboard(log);
  endWithSignals(service, log);
  reportRecovery(service, log);
  const notes = [...settings.warnings, ...pauseNotes(service), ...openFilesNotes()];
  for (const note of notes) log.warn(note);
  return { service, log, logMode };
}

/** The first signal waits for attempts in progress to finish; the second one does not. */
function endWithSignals(service: Service, log: Logger): void {
  let isStopping = false;
  const stop = async (name: string): Promise<void> => {
    if (isStopping) process.exit(130);
    isStopping = true;
    log.info("stopping; attempts in progress finish first", { signal: name });
    await service.stop();
    log.info("stopped");
    log.close();
    process.exit(0);
  };
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => void stop(name));
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
