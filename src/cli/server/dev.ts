import { networkInterfaces } from "node:os";
import { type Settings, SETTINGS } from "../../config/settings.ts";
import { systemClock } from "../../platform/clock.ts";
import { reachable } from "../reachable.ts";
import { announceReady } from "./ready-block.ts";
import { pauseNotes, runService } from "./run-service.ts";
import type { Service } from "../../service.ts";
import { durationText } from "../terminal/time-text.ts";

/** `postrider dev`: a service for one machine that delivers within the first minute. */
export async function dev(settings: Settings): Promise<void> {
  const startedAt = systemClock.monotonic();
  const running = await runService(settings);
  const { service, log, logMode } = running;
  const url = settings.publicUrl ?? service.url.replace(ANY_ADDRESS, `//${machineAddress()}:`);
  if (settings.allowRemote) log.warn(PUBLIC);
  const isMoved = settings.port !== 0 && service.port !== settings.port;
  const facts = {
    startedAt,
    url,
    console: `${reachable(service.consoleUrl)}/v2/svc  (${settings.adminUser} / ${passwordText(settings)})`,
    credentials: service.credentials,
    notes: [
      ...(isMoved
        ? [`port ${settings.port} is taken, so this is ${service.port}; --port chooses another`]
        : []),
      ...pauseNotes(service),
      ...forgottenNotes(service),
      ...(settings.allowRemote ? [PUBLIC] : []),
    ],
    firstDestination: `${reachable(service.url)}/echo/hello`,
  };
  // Where standard output carries JSON logs for programs, people read standard error.
  const output = logMode === "pretty" ? process.stdout : process.stderr;
  announceReady(running, settings, facts, logMode === "quiet" ? null : output);
  running.tail.url = url;
  const { credentials } = service;
  if (logMode !== "pretty" || credentials === null) return;
  const { listenToKeys } = await import("./dev-keys.ts");
  const local = reachable(service.url);
  listenToKeys(running.tail, {
    url: local,
    token: credentials.token,
    sample: facts.firstDestination,
  });
}

/** A clock that was put forward is forgotten, and what was stored meanwhile is not. */
function forgottenNotes({ clock }: Pick<Service, "clock">): string[] {
  const { aheadMs } = clock.time();
  if (aheadMs < FORGOTTEN_MS_MIN) return [];
  const ahead = durationText(aheadMs);
  return [
    `the clock shows the time of this machine again; what is stored is up to ${ahead} ahead of it`,
  ];
}

/** Only the default password, which is public, is shown. */
function passwordText({ adminPassword }: Settings): string {
  return adminPassword === SETTINGS.adminPassword.defaults.dev ? adminPassword : "as given";
}

/** An address of this machine for other machines, when the service listens on all addresses. */
function machineAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const usable = addresses.filter(({ internal, family }) => !internal && family === "IPv4");
  return usable[0]?.address ?? "127.0.0.1";
}

/** Smaller differences are of machines whose clock is adjusted. */
const FORGOTTEN_MS_MIN = 60_000;
/** The URL of a service that listens on all addresses. */
const ANY_ADDRESS = /\/\/(?:0\.0\.0\.0|\[::\]):/;
const PUBLIC =
  "--allow-remote: every machine that reaches this port can use it, since the credentials of dev are public";
