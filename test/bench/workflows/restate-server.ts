import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { freePort } from "../../support/free-port.ts";
import { besides } from "../child.ts";

/**
 * Restate's server is 200 MB for each platform and needed only by this comparison, so it is no
 * dependency: it is fetched from npm when the comparison first runs.
 */
const SERVER_VERSION = "1.7.12";
const SDK_VERSION = "1.17.2";
const CACHE = besides("../../.cache/");
const HOME = join(CACHE, `restate-${SERVER_VERSION}-${SDK_VERSION}`);
const PACKAGES = join(HOME, "node_modules/@restatedev");
const BINARY = join(
  PACKAGES,
  `restate-server-${process.platform}-${process.arch}/bin/restate-server`,
);

export interface RestateServer {
  readonly ingressPort: number;
  readonly pid: number;
  /** Makes the server know a running endpoint. */
  register(endpointPort: number): Promise<void>;
  stop(): Promise<void>;
}

/** Where its SDK is, once it has been fetched. */
export function restateSdkUrl(): string {
  install();
  return pathToFileURL(join(PACKAGES, "restate-sdk/dist/index.js")).href;
}

/** One node with its own settings, which wait for the disk with every commit, on a fresh folder. */
export async function startRestate(): Promise<RestateServer> {
  install();
  const data = mkdtempSync(join(tmpdir(), "postrider-bench-restate-"));
  const [ingressPort, adminPort, nodePort] = [await freePort(), await freePort(), await freePort()];
  const child = spawn(BINARY, ["--base-dir", data, "--node-name", "bench"], {
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

/** Beside its final place first, so that what is there is whole. */
function install(): void {
  if (existsSync(HOME)) return;
  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(`${HOME}-`);
  const packages = [
    `@restatedev/restate-server@${SERVER_VERSION}`,
    `@restatedev/restate-sdk@${SDK_VERSION}`,
  ];
  const flags = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status } = spawnSync("npm", ["install", "--prefix", draft, ...flags, ...packages], {
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) throw new Error("Restate could not be fetched from npm");
  renameSync(draft, HOME);
}

async function answers(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("Restate did not become ready");
}
