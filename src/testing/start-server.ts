/**
 * A whole service inside a test program: on a free port, with its own data and a clock that the
 * test can move.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSettings } from "../config/read-settings.ts";
import { parseDuration } from "../core/policy/retry/duration.ts";
import type { Leap, LeapBounds } from "../operations/virtual-clock.ts";
import { startService } from "../service.ts";

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
  const flags = { host: "127.0.0.1", port: "0", data: folder, minFreeDisk: "0" };
  const settings = readSettings("dev", { flags, environment: {}, configFile: undefined });
  try {
    const service = await startService(settings, {
      log: { info: ignore, warn: ignore, error: ignore },
      onFatal: rethrow,
    });
    const stop = async (): Promise<void> => {
      await service.stop();
      removeFolder();
    };
    const clock = service.virtualClock!;
    const { token, currentSigningKey, nextSigningKey } = service.credentials!;
    const access = { url: service.url, token, currentSigningKey, nextSigningKey };
    return {
      ...access,
      environment: environmentOf(access),
      advance: (duration) => settled(clock.advance(parseDuration(String(duration)), BOUNDS)),
      settle: () => settled(clock.settle(BOUNDS)),
      stop,
    };
  } catch (error) {
    removeFolder();
    throw error;
  }
}

/** Time passes by a leap, and the test continues when all that it brought is done. */
async function settled(leap: Promise<Leap>): Promise<void> {
  if ((await leap).isSettled) return;
  throw new Error(`work is still pending after ${PATIENCE_MS / 1_000} seconds`);
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
/** A test waits for everything that time brings. */
const BOUNDS: LeapBounds = {
  ticksMax: Infinity,
  stopsMax: Infinity,
  leapMsMax: Infinity,
  stopMsMax: PATIENCE_MS,
  endsUnsettled: true,
};
