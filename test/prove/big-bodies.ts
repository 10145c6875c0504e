import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { rssPeakMb } from "../bench/process-stats.ts";
import { freePort } from "../support/free-port.ts";
import { call, ServiceProcess } from "./service-process.ts";

const BODY_BYTES = 10 * 1024 * 1024;

export interface BigBodiesReport {
  readonly bodies: number;
  readonly acknowledged: number;
  readonly delivered: number;
  readonly rssMb: number;
}

/** Publishes many bodies of 10 MB at once: all of them arrive whole, and memory stays bounded. */
export async function publishBigBodies(bodies: number): Promise<BigBodiesReport> {
  const received = new Set<string>();
  const sink = createServer((request, response) => {
    const hash = createHash("sha256");
    request.on("data", (chunk: Buffer) => hash.update(chunk));
    request.on("end", () => {
      received.add(hash.digest("hex"));
      response.end();
    });
  });
  await new Promise<void>((resolve) => sink.listen(0, "127.0.0.1", resolve));
  const sinkUrl = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`;
  const data = mkdtempSync(join(tmpdir(), "postrider-big-"));
  const service = new ServiceProcess(await freePort(), ["--data", data]);
  await service.start();
  const sent = new Set<string>();
  const statuses = await Promise.all(
    Array.from({ length: bodies }, async (_, index) => {
      const body = Buffer.alloc(BODY_BYTES, `body ${index} `);
      sent.add(createHash("sha256").update(body).digest("hex"));
      const answer = await call(
        service.url,
        "POST",
        `/v2/publish/${sinkUrl}`,
        {},
        body.toString("latin1"),
      );
      await answer.text();
      return answer.status;
    }),
  );
  const until = performance.now() + 120_000;
  while (received.size < sent.size && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const report = {
    bodies,
    acknowledged: statuses.filter((status) => status === 200).length,
    delivered: [...sent].filter((hash) => received.has(hash)).length,
    rssMb: rssPeakMb(service.pid),
  };
  await service.kill("SIGTERM");
  sink.close();
  rmSync(data, { recursive: true, force: true });
  return report;
}

export function requireBounded(report: BigBodiesReport): void {
  assert.equal(report.acknowledged, report.bodies);
  assert.equal(report.delivered, report.bodies);
  assert.ok(report.rssMb < 1024, `the service took ${report.rssMb} MB`);
}
