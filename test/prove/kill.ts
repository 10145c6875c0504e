import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { steadyPort } from "../support/free-port.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { type Judgement, judge, type Kill } from "./judge.ts";
import { Load } from "./load.ts";
import { nodesOn, ServiceProcess } from "./service-process.ts";
import { RecordingSink } from "./sink.ts";

export interface KillReport extends Judgement {
  readonly kills: number;
}

/** Kills a service on SQLite again and again under load, and starts it again each time. */
export async function killSqlite(kills: number, programs?: readonly string[]): Promise<KillReport> {
  const data = mkdtempSync(join(tmpdir(), "postrider-kill-"));
  const service = new ServiceProcess(await steadyPort(), ["--data", data], programs);
  try {
    return await killAgainAndAgain([service], kills);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/** Kills one of three nodes on one PostgreSQL again and again under load. */
export async function killPostgresNodes(
  kills: number,
  programs?: readonly string[],
): Promise<KillReport> {
  const server = await startPostgres({ durable: true });
  try {
    return await killAgainAndAgain(await nodesOn(server.url, 3, programs), kills);
  } finally {
    await server.stop();
  }
}

async function killAgainAndAgain(
  nodes: readonly ServiceProcess[],
  kills: number,
): Promise<KillReport> {
  const sink = await RecordingSink.start();
  const killed: Kill[] = [];
  for (const node of nodes) await node.start();
  const load = new Load(() => nodes.map(({ url }) => url), sink.url);
  load.start(24);
  for (let kill = 0; kill < kills; kill++) {
    await new Promise((resolve) => setTimeout(resolve, 150 + Math.random() * 700));
    const victim = nodes[kill % nodes.length]!;
    const from = performance.now();
    await victim.kill("SIGKILL");
    killed.push({ from, until: performance.now() });
    await victim.start();
  }
  await load.stop();
  const judgement = await judge(load.ledger, sink, nodes[0]!.url, killed);
  for (const node of nodes) await node.kill("SIGTERM");
  await sink.stop();
  return { kills, ...judgement };
}

/** What must hold of every such run. */
export function requireKept(report: KillReport): void {
  assert.ok(report.acknowledged > report.kills, "the load published next to nothing");
  assert.equal(report.lost, 0, `${report.lost} acknowledged messages were lost`);
  assert.equal(report.unexplained, 0, `${report.unexplained} duplicates without a kill`);
}
