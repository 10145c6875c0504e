import { existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const POLL_MS = 2;

/** Where a node that counts its round trips writes the count; see counted-round-trips.ts. */
export function countFileOf(pid: number): string {
  return join(tmpdir(), `postrider-round-trips-${pid}`);
}

/** How often these nodes have waited for their database server so far. */
export async function roundTripsOf(pids: readonly number[]): Promise<number> {
  const counts = await Promise.all(pids.map(askCount));
  return counts.reduce((all, one) => all + one, 0);
}

async function askCount(pid: number): Promise<number> {
  const file = countFileOf(pid);
  process.kill(pid, "SIGUSR2");
  for (;;) {
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    if (text.endsWith("\n")) {
      rmSync(file);
      return Number(text);
    }
    await wait(POLL_MS);
  }
}
