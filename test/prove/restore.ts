import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Command } from "../support/command.ts";
import { steadyPort } from "../support/free-port.ts";
import { Load } from "./load.ts";
import { call, ServiceProcess } from "./service-process.ts";
import { RecordingSink } from "./sink.ts";

export interface RestoreReport {
  readonly restores: number;
  readonly acknowledged: number;
  /** Acknowledged before a backup began, and not in it. */
  readonly missing: number;
}

const SECRET_KEY = ["--secret-key", "the-secret-key-of-the-proofs-0123"];

/** Backs up a service under load again and again, restores each backup, and starts a service on it. */
export async function restoreBackups(restores: number): Promise<RestoreReport> {
  const folder = mkdtempSync(join(tmpdir(), "postrider-restores-"));
  const data = join(folder, "data");
  const sink = await RecordingSink.start();
  const service = new ServiceProcess(await steadyPort(), ["--data", data, ...SECRET_KEY]);
  const load = new Load(() => [service.url], sink.url);
  let missing = 0;
  try {
    await service.start();
    load.start(8);
    for (let round = 0; round < restores; round++) {
      const before = load.ledger.acknowledged.size;
      while (load.ledger.acknowledged.size < before + 100) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      const acknowledged = [...load.ledger.acknowledged.keys()];
      const [backup, restored] = [join(folder, `backup-${round}`), join(folder, `data-${round}`)];
      await run("backup", backup, "--data", data);
      await run("restore", backup, "--data", restored);
      missing += missingIn(join(restored, "postrider.db"), acknowledged);
      await requireStarts(restored);
      for (const path of [backup, restored]) rmSync(path, { recursive: true });
    }
    return { restores, acknowledged: load.ledger.acknowledged.size, missing };
  } finally {
    await load.stop();
    await service.kill("SIGTERM");
    await sink.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

export function requireRestored({ acknowledged, restores, missing }: RestoreReport): void {
  assert.ok(acknowledged > 100 * restores);
  assert.equal(missing, 0, `${missing} acknowledged messages are in no backup`);
}

async function run(...words: string[]): Promise<void> {
  const command = new Command(words);
  assert.equal(await command.ends(), 0, command.errors);
}

function missingIn(path: string, messageIds: readonly string[]): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare("SELECT message_id FROM facts").all();
  database.close();
  const stored = new Set(rows.map((row) => row["message_id"]));
  return messageIds.filter((messageId) => !stored.has(messageId)).length;
}

async function requireStarts(data: string): Promise<void> {
  const service = new ServiceProcess(await steadyPort(), ["--data", data, ...SECRET_KEY]);
  await service.start();
  const answer = await call(service.url, "GET", "/v2/messages?count=1");
  assert.equal(answer.status, 200, await answer.text());
  await service.kill("SIGTERM");
}
