import { placeOf, type SettingSources } from "../../config/read-settings.ts";
import type { Settings } from "../../config/settings.ts";
import { systemClock } from "../../platform/clock.ts";
import type { PreparedAccounts } from "../../operations/account/first-accounts.ts";
import { requireOwnCredentials } from "../../operations/account/public-credentials.ts";
import { reachable } from "../reachable.ts";
import { announceReady } from "./ready-block.ts";
import { pauseNotes, runService } from "./run-service.ts";

/**
 * `postrider serve`: a service for other machines. At its first start it prints its credentials,
 * once.
 */
export async function serve(settings: Settings, sources: SettingSources): Promise<void> {
  const startedAt = systemClock.monotonic();
  requireOwnCredentials(settings, (name) => placeOf(name, settings.mode, sources));
  const running = await runService(settings, printCredentials);
  const { service, log, logMode } = running;
  const url = settings.publicUrl ?? reachable(service.url);
  const consoleUrl = settings.consolePort !== undefined ? reachable(service.consoleUrl) : url;
  if (service.isSeedIgnored) {
    log.warn("POSTRIDER_TOKEN is not used: the account was created earlier, with another token");
  }
  const facts = {
    startedAt,
    url,
    console: `${consoleUrl}/v2/svc`,
    credentials: null,
    notes: pauseNotes(service),
    firstDestination: null,
  };
  announceReady(running, settings, facts, logMode === "pretty" ? process.stdout : null);
}

/** On standard error, so that a log collector does not keep them. */
function printCredentials({ credentials, operator }: PreparedAccounts): void {
  const lines: string[] = [];
  if (credentials !== null) {
    lines.push(
      "First start: these are shown once. Keep them, and give the first, third and fourth to your app.",
      `POSTRIDER_TOKEN=${credentials.token}`,
      `POSTRIDER_READ_ONLY_TOKEN=${credentials.readOnlyToken}`,
      `POSTRIDER_CURRENT_SIGNING_KEY=${credentials.currentSigningKey}`,
      `POSTRIDER_NEXT_SIGNING_KEY=${credentials.nextSigningKey}`,
    );
  }
  if (operator !== null) {
    lines.push(
      "The operator, who manages accounts at /v2/svc; shown once as well.",
      `POSTRIDER_ADMIN_USER=${operator.user}`,
      `POSTRIDER_ADMIN_PASSWORD=${operator.password}`,
    );
  }
  if (lines.length > 0) process.stderr.write(`${lines.join("\n")}\n`);
}
