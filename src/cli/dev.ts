import { type Settings, SETTINGS } from "../config/settings.ts";
import { systemClock } from "../platform/clock.ts";
import { dataText } from "./data-text.ts";
import { pauseNotes } from "./pause-notes.ts";
import { readyBlock } from "./ready-block.ts";
import { runService } from "./run-service.ts";
import { VERSION } from "./version.ts";

/** `postrider dev`: a service for the own machine that delivers within the first minute. */
export async function dev(settings: Settings): Promise<void> {
  const startedAt = systemClock.monotonic();
  const { service, log, logMode } = await runService(settings);
  const url = settings.publicUrl ?? service.url;
  if (logMode === "json") log.info("ready", { url, port: service.port, data: dataText(settings) });
  if (logMode === "quiet") return;
  // Where standard output is for programs, those who read along look at the other one.
  const output = logMode === "pretty" ? process.stdout : process.stderr;
  const isMoved = settings.port !== 0 && service.port !== settings.port;
  output.write(
    readyBlock({
      version: VERSION,
      startMs: systemClock.monotonic() - startedAt,
      url,
      data: dataText(settings),
      console: `${service.consoleUrl}/v2/svc  (${settings.adminUser} / ${passwordText(settings)})`,
      credentials: service.credentials,
      notes: [
        ...(isMoved
          ? [`port ${settings.port} is taken, so this is ${service.port}; --port chooses another`]
          : []),
        ...pauseNotes(service),
      ],
      firstDestination: `${service.url}/echo/hello`,
    }),
  );
}

/** The one that everybody knows may be shown. */
function passwordText({ adminPassword }: Settings): string {
  return adminPassword === SETTINGS.adminPassword.defaults.dev ? adminPassword : "as given";
}
