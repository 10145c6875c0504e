import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { addWaiting, fillSqlite } from "../bench/fill.ts";
import { steadyPort } from "../support/free-port.ts";
import { call, ServiceProcess } from "./service-process.ts";
import { RecordingSink } from "./sink.ts";

export interface RestartReport {
  readonly waiting: number;
  /** From the start of the process to the first delivery of a message that was published before. */
  readonly firstDeliveryMs: readonly number[];
}

/** What is filled before the service starts has no key beside it. */
const SECRET_KEY = ["--secret-key", "the-secret-key-of-the-proofs-0123"];

/** Kills a service with many messages waiting, and measures how soon the next one delivers. */
export async function restartWithBacklog(waiting: number, times: number): Promise<RestartReport> {
  const data = mkdtempSync(join(tmpdir(), "postrider-restart-"));
  await fillSqlite(join(data, "postrider.db"), addWaiting(waiting));
  const sink = await RecordingSink.start();
  const service = new ServiceProcess(await steadyPort(), ["--data", data, ...SECRET_KEY]);
  await service.start();
  const firstDeliveryMs: number[] = [];
  for (let time = 0; time < times; time++) {
    // Due in a second, while no node runs: the next node must deliver it.
    const answer = await call(service.url, "POST", `/v2/publish/${sink.url}/ok`, {
      "svc-delay": "1s",
    });
    const { messageId } = (await answer.json()) as { messageId: string };
    await service.kill("SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const startedAt = performance.now();
    await service.start();
    firstDeliveryMs.push(Math.round((await receiptOf(sink, messageId)) - startedAt));
  }
  await service.kill("SIGTERM");
  await sink.stop();
  rmSync(data, { recursive: true, force: true });
  return { waiting, firstDeliveryMs };
}

async function receiptOf(sink: RecordingSink, messageId: string): Promise<number> {
  for (;;) {
    const receipt = sink.receipts.find((one) => one.messageId === messageId);
    if (receipt !== undefined) return receipt.at;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
