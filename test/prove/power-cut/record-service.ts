import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { steadyPort } from "../../support/free-port.ts";
import { call, ServiceProcess } from "../service-process.ts";
import type { RecordingSink } from "../sink.ts";
import { type DiskStep, readRecord } from "./disk-record.ts";

export interface Recorded {
  readonly steps: readonly DiskStep[];
  /** The folder below which everything was recorded, and the data folder in it. */
  readonly root: string;
  readonly data: string;
  /** What callers of the service were told that it has. */
  readonly acknowledged: ReadonlySet<string>;
}

const MESSAGES = 240;
const PUBLISHERS = 8;

/** Runs the service from its first start, through load, a stop, a start and more load, and records its disk. */
export async function recordService(folder: string, sink: RecordingSink): Promise<Recorded> {
  const library = buildRecorder(folder);
  const root = join(folder, "disk");
  mkdirSync(root);
  const data = join(root, "made", "data");
  const record = join(folder, "record");
  const environment = { LD_PRELOAD: library, DISK_RECORD: record, DISK_FOLDER: root };
  const service = new ServiceProcess(await steadyPort(), ["--data", data]);
  const acknowledged = new Set<string>();
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    await service.start({ environment });
    await Promise.all(
      Array.from({ length: PUBLISHERS }, () => publish(service.url, sink.url, acknowledged)),
    );
    await service.kill(signal);
  }
  return { steps: readRecord(record), root, data, acknowledged };
}

async function publish(url: string, sinkUrl: string, acknowledged: Set<string>): Promise<void> {
  for (let count = 0; count < MESSAGES / PUBLISHERS / 2; count++) {
    const headers = count % 3 === 0 ? { "svc-delay": "2s" } : {};
    const body = "x".repeat(300 + 200 * count);
    const answer = await call(url, "POST", `/v2/publish/${sinkUrl}/ok`, headers, body);
    const { messageId } = (await answer.json()) as { messageId: string };
    acknowledged.add(messageId);
  }
}

/** Throws a sentence where the tools are missing. */
function buildRecorder(folder: string): string {
  const source = new URL("./record-disk.c", import.meta.url).pathname;
  const library = join(folder, "record-disk.so");
  const flags = ["-shared", "-fPIC", "-O1", "-w", "-o", library, source, "-ldl", "-lpthread"];
  const { status, error, stderr } = spawnSync("gcc", flags, { encoding: "utf8" });
  if (process.platform !== "linux" || error !== undefined) {
    throw new Error(
      "this proof needs Linux and gcc, which records the disk (Debian: apt install gcc libc6-dev)",
    );
  }
  if (status !== 0) throw new Error(`gcc could not build the recorder:\n${stderr}`);
  return library;
}
