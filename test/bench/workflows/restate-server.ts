import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { freePort } from "../../support/free-port.ts";
import { fetchPackages } from "../fetched-packages.ts";

/**
 * Restate's server is 200 MB for each platform and needed only by comparisons, so it is no
 * dependency: it is fetched from npm when one of them first runs.
 */
export const SERVER_VERSION = "1.7.12";
const SDK_VERSION = "1.17.2";

/** The folder of its packages. */
function packages(): string {
  const fetched = fetchPackages(`restate-${SERVER_VERSION}-${SDK_VERSION}`, [
    `@restatedev/restate-server@${SERVER_VERSION}`,
    `@restatedev/restate-sdk@${SDK_VERSION}`,
  ]);
  return join(fetched, "@restatedev");
}

export interface RestateServer {
  readonly ingressPort: number;
  readonly pid: number;
  /** Makes the server know a running endpoint. */
  register(endpointPort: number): Promise<void>;
  stop(): Promise<void>;
}

/** Where its SDK is, once it has been fetched. */
export function restateSdkUrl(): string {
  return pathToFileURL(join(packages(), "restate-sdk/dist/index.js")).href;
}

/** One node with its own settings, which wait for the disk with every commit, on a fresh folder. */
export async function startRestate(): Promise<RestateServer> {
  const binary = `restate-server-${process.platform}-${process.arch}/bin/restate-server`;
  const data = mkdtempSync(join(tmpdir(), "postrider-bench-restate-"));
  const [ingressPort, adminPort, nodePort] = [await freePort(), await freePort(), await freePort()];
  const child = spawn(join(packages(), binary), ["--base-dir", data, "--node-name", "bench"], {
    stdio: "ignore",
    env: {
      ...process.env,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingressPort}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${adminPort}`,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${nodePort}`,
      RESTATE_LOG_FILTER: "error",
      RESTATE_DISABLE_TELEMETRY: "true",
    },
  });
  await answers(`http://127.0.0.1:${adminPort}/health`);
  return {
    ingressPort,
    pid: child.pid ?? 0,
    register: async (endpointPort) => {
      const answer = await fetch(`http://127.0.0.1:${adminPort}/deployments`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ uri: `http://127.0.0.1:${endpointPort}` }),
      });
      if (!answer.ok) throw new Error(`Restate does not take the endpoint: ${await answer.text()}`);
    },
    stop: async () => {
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      await gone;
      rmSync(data, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("Restate did not become ready");
}
