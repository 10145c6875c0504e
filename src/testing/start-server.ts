/**
 * A whole service inside a test program: on a free port, with its own data and a clock that the
 * test can move.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSettings } from "../config/read-settings.ts";
import { parseDuration } from "../core/policy/retry/duration.ts";
import { systemClock } from "../platform/clock.ts";
import { databasePath, startService } from "../service.ts";
import { Agenda } from "./agenda.ts";
import { LeapingClock } from "./leaping-clock.ts";

export interface TestServer {
  readonly url: string;
  readonly token: string;
  readonly currentSigningKey: string;
  readonly nextSigningKey: string;
  /** The variables that the SDK reads. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Advances the clock by seconds, or by a text such as "1d12h". All work that comes due on the way
   * is done at its due time, and so is the work that follows from it. Resolves once nothing is left
   * to do until then.
   */
  advance(duration: number | string): Promise<void>;
  /** Resolves once all due work is done. */
  settle(): Promise<void>;
  /** Stops the service and removes its data. */
  stop(): Promise<void>;
}

export async function startServer(): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), "postrider-testing-"));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  const clock = new LeapingClock();
  const flags = { host: "127.0.0.1", port: "0", data: folder, minFreeDisk: "0" };
  const settings = readSettings("dev", { flags, environment: {}, configFile: undefined });
  try {
    const service = await startService(settings, {
      clock,
      // Receivers use the machine's clock, and verify signatures by it.
      sendingClock: systemClock,
      log: { info: ignore, warn: ignore, error: ignore },
      onFatal: rethrow,
    });
    const agenda = new Agenda(databasePath(settings));
    const stop = async (): Promise<void> => {
      agenda.close();
      await service.stop();
      removeFolder();
    };
    const { token, currentSigningKey, nextSigningKey } = service.credentials!;
    const access = { url: service.url, token, currentSigningKey, nextSigningKey };
    return {
      ...access,
      environment: environmentOf(access),
      advance: (duration) => advance(clock, agenda, parseDuration(String(duration))),
      settle: async () => void (await settle(clock, agenda)),
      stop,
    };
  } catch (error) {
    removeFolder();
    throw error;
  }
}

/** Moves from one due instant to the next, until the time has passed. */
async function advance(clock: LeapingClock, agenda: Agenda, ms: number): Promise<void> {
  let next = await settle(clock, agenda);
  const until = clock.now() + ms;
  while (next !== null && next <= until) {
    clock.leapTo(next);
    next = await settle(clock, agenda);
  }
  clock.leapTo(until);
  await settle(clock, agenda);
}

/** Waits until nothing is in progress or due. Returns when the next work is due. */
async function settle(clock: LeapingClock, agenda: Agenda): Promise<number | null> {
  const giveUpAt = systemClock.monotonic() + PATIENCE_MS;
  for (;;) {
    const { underWay, nextAt } = agenda.pending();
    if (underWay === 0 && (nextAt === null || nextAt > clock.now())) return nextAt;
    if (systemClock.monotonic() > giveUpAt) {
      throw new Error(`work is still pending after ${PATIENCE_MS / 1_000} seconds`);
    }
    await systemClock.sleep(POLL_MS);
  }
}

function environmentOf(
  access: Pick<TestServer, "url" | "token" | "currentSigningKey" | "nextSigningKey">,
): Record<string, string> {
  return {
    POSTRIDER_URL: access.url,
    POSTRIDER_TOKEN: access.token,
    POSTRIDER_CURRENT_SIGNING_KEY: access.currentSigningKey,
    POSTRIDER_NEXT_SIGNING_KEY: access.nextSigningKey,
  };
}

function ignore(): void {
  // A test reports its own failures.
}

function rethrow(error: Error): never {
  throw error;
}

/** Longer than any test should take for the work of one instant. */
const PATIENCE_MS = 60_000;
const POLL_MS = 2;
