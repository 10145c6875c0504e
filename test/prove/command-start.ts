import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ROOT } from "../house/sources.ts";
import { Command } from "../support/command.ts";

export interface CommandStart {
  readonly name: string;
  /** The median, from the start of the process to its end. */
  readonly tookMs: number;
}

/** Builds the package, and measures how long its command takes to start, publish and end. */
export async function measureCommandStart(times: number): Promise<readonly CommandStart[]> {
  const built = spawnSync(process.execPath, [join(ROOT, "scripts/build.mjs")], { cwd: ROOT });
  if (built.status !== 0) throw new Error(`the build failed: ${String(built.stderr)}`);
  const folder = mkdtempSync(join(tmpdir(), "postrider-start-"));
  const ends: (() => unknown)[] = [];
  try {
    const scope = { after: (end: () => unknown) => void ends.push(end) };
    const service = Command.serve(scope, ["--data", join(folder, ".postrider")], {}, "dev");
    const url = await service.url();
    const lines: Readonly<Record<string, readonly string[]>> = {
      "--help": ["--help"],
      "--version": ["--version"],
      publish: ["publish", `${url}/echo/start`, "--body", "hi", "--server", url],
    };
    const measured: CommandStart[] = [];
    for (const [name, words] of Object.entries(lines)) {
      const tookMs: number[] = [];
      for (let time = 0; time < times; time++) tookMs.push(await timeOf(words, folder));
      tookMs.sort((one, other) => one - other);
      measured.push({ name, tookMs: Math.round(tookMs[Math.floor(times / 2)]!) });
    }
    return measured;
  } finally {
    for (const end of ends.toReversed()) await end();
    rmSync(folder, { recursive: true, force: true });
  }
}

export function requireQuick(measured: readonly CommandStart[]): void {
  const slow = measured.filter(({ tookMs }) => tookMs > TOOK_MS_MAX);
  if (slow.length === 0) return;
  const shown = slow.map(({ name, tookMs }) => `${name} ${tookMs} ms`);
  throw new Error(`slower than ${TOOK_MS_MAX} ms: ${shown.join(", ")}`);
}

async function timeOf(words: readonly string[], folder: string): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(ROOT, "dist/cli/postrider.js"), ...words], {
    env: { PATH: process.env["PATH"], HOME: folder },
    stdio: "ignore",
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`postrider ${words.join(" ")} ended with ${code}`);
  return performance.now() - startedAt;
}

const TOOK_MS_MAX = 300;
