/**
 * A store that is shared, or opened in turn, by this version of the service and by an earlier one, as while nodes are
 * replaced one by one, and as when a new version is taken back.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { startPostgres } from "../support/postgres-server.ts";
import { PROGRAM } from "../support/program.ts";
import { type KillReport, killPostgresNodes, killSqlite, requireKept } from "./kill.ts";
import { killUnderLimits, requireWithinLimits } from "./lines.ts";
import { killUnderRuns, requireEnded } from "./runs/kill-runs.ts";
import { killUnderTicks, requireTicked } from "./ticks/kill-ticks.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** It has the layout of this version, and wrote test/contract/stored-text/texts.json. */
const EARLIER = "4d5d2a7";

export async function mixVersions(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "postrider-earlier-"));
  try {
    const programs = [checkOut(folder), PROGRAM];
    const parts = [
      `one SQLite file in turn: ${keptIn(await killSqlite(12, programs))}`,
      `three nodes: ${keptIn(await killPostgresNodes(12, programs))}`,
    ];
    for (const prove of [withLines, withTicks, withRuns]) {
      const server = await startPostgres({ durable: true });
      try {
        parts.push(`two nodes: ${await prove(server.url, programs)}`);
      } finally {
        await server.stop();
      }
    }
    return `this version and ${EARLIER}, another after each kill; ${parts.join("; ")}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The program of the earlier version. Its dependencies are those of this checkout. */
function checkOut(folder: string): string {
  const parts = ["src", "sdk", "dashboard", "package.json"];
  const options = { cwd: ROOT, maxBuffer: 1024 ** 3 };
  const packed = execFileSync("git", ["archive", EARLIER, ...parts], options);
  execFileSync("tar", ["-x", "-C", folder], { input: packed });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return join(folder, "src/cli/main.ts");
}

function keptIn(report: KillReport): string {
  requireKept(report);
  return `${report.kills} kills, ${report.acknowledged} acknowledged, ${report.lost} lost`;
}

async function withLines(url: string, programs: readonly string[]): Promise<string> {
  const report = await killUnderLimits(url, { nodes: 2, kills: 4 }, programs);
  requireWithinLimits(report);
  return `${report.kills} kills, ${report.acknowledged} messages of queues and keys, none out of order or beyond a limit`;
}

async function withTicks(url: string, programs: readonly string[]): Promise<string> {
  const options = { nodes: 2, minutely: 100, moved: 200, rounds: 8 };
  const report = await killUnderTicks(url, options, programs);
  requireTicked(report);
  return `${report.kills} kills, ${report.messages} messages of schedules, each due instant once`;
}

async function withRuns(url: string, programs: readonly string[]): Promise<string> {
  const options = { nodes: 2, runs: 500, kills: 6, seed: 5, openMax: 120 };
  const report = await killUnderRuns(url, options, programs);
  requireEnded(report);
  return `${report.kills} kills, ${options.runs} mixed runs, all ended as they should, no step recorded twice`;
}
