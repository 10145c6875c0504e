import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { steadyPort } from "../support/free-port.ts";
import { call, ServiceProcess } from "./service-process.ts";

/** Each answer is a beginning of this, so that what one try leaves is not what the next one needs. */
const ANSWER = Buffer.from(Uint8Array.from({ length: 2_000_000 }, (_, at) => (at * 7) ^ (at >> 8)));
const ANSWER_BYTES_MIN = 300_000;
const PUBLISHERS = 4;
const PAUSE_MS = 50;
const REPORTED_MS_MAX = 120_000;

export interface ReportsUnderKills {
  readonly kills: number;
  readonly acknowledged: number;
  /** Of them, messages with a report that has all of the answer. */
  readonly reported: number;
  /** Reports that have something else. */
  readonly broken: number;
}

/** Kills a service on SQLite again and again while it stores and sends reports of large answers. */
export async function killUnderReports(kills: number): Promise<ReportsUnderKills> {
  const data = mkdtempSync(join(tmpdir(), "postrider-reports-"));
  const service = new ServiceProcess(await steadyPort(), ["--data", data]);
  const destination = await Destination.start();
  const acknowledged = new Set<string>();
  const over = new AbortController();
  const publish = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const id = await published(service.url, destination.url).catch(() => null);
      if (id !== null) acknowledged.add(id);
      await wait(PAUSE_MS);
    }
  };
  try {
    await service.start();
    const publishing = Array.from({ length: PUBLISHERS }, publish);
    for (let kill = 0; kill < kills; kill++) {
      await wait(200 + Math.random() * 800);
      await service.kill("SIGKILL");
      await service.start();
    }
    over.abort();
    await Promise.all(publishing);
    const missing = (): string[] => [...acknowledged].filter((id) => !destination.whole.has(id));
    const giveUpAt = performance.now() + REPORTED_MS_MAX;
    while (missing().length > 0 && performance.now() < giveUpAt) await wait(100);
    const reported = acknowledged.size - missing().length;
    return { kills, acknowledged: acknowledged.size, reported, broken: destination.broken };
  } finally {
    over.abort();
    await service.kill("SIGTERM");
    await destination.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

export function requireReported({
  kills,
  acknowledged,
  reported,
  broken,
}: ReportsUnderKills): void {
  assert.ok(acknowledged > kills, "next to nothing was published");
  assert.equal(reported, acknowledged, "an acknowledged message has no report");
  assert.equal(broken, 0, "a report does not have what was answered");
}

async function published(serviceUrl: string, destinationUrl: string): Promise<string> {
  const headers = { "svc-callback": `${destinationUrl}/report`, "svc-retry-delay": "300" };
  const path = `/v2/publish/${destinationUrl}/large`;
  const answer = await call(serviceUrl, "POST", path, headers, "x");
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
  return (JSON.parse(text) as { messageId: string }).messageId;
}

function someAnswer(): Buffer {
  const range = ANSWER.length - ANSWER_BYTES_MIN;
  return ANSWER.subarray(0, ANSWER_BYTES_MIN + Math.floor(Math.random() * range));
}

/** Answers with large bodies, and compares what is reported of them. */
class Destination {
  /** Ids of messages whose reports are whole. */
  readonly whole = new Set<string>();
  broken = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Destination> {
    const server = createServer();
    const destination = new Destination(server);
    server.on("request", (request: IncomingMessage, response) => {
      const isReport = request.url === "/report";
      const taken = isReport ? destination.#take(request) : buffer(request);
      taken.then(
        () => response.end(isReport ? "" : someAnswer()),
        () => response.destroy(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return destination;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A request that breaks off is not a report. */
  async #take(request: IncomingMessage): Promise<void> {
    const text = (await buffer(request)).toString();
    if (this.#isWhole(text)) return;
    this.broken += 1;
  }

  #isWhole(text: string): boolean {
    try {
      const { sourceMessageId, body } = JSON.parse(text) as Record<string, string>;
      const answer = Buffer.from(body ?? "", "base64");
      if (answer.length < ANSWER_BYTES_MIN) return false;
      if (!answer.equals(ANSWER.subarray(0, answer.length))) return false;
      this.whole.add(sourceMessageId ?? "");
      return true;
    } catch {
      return false;
    }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
