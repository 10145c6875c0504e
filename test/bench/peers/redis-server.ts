import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { unpackPackages } from "../../support/debian-packages.ts";
import { freePort } from "../../support/free-port.ts";
import { besides } from "../child.ts";

export interface RedisServer {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Redis with an append-only file, which is synced every second or with every command. */
export async function startRedis(fsync: "everysec" | "always"): Promise<RedisServer> {
  const [command, environment] = findRedis();
  const data = mkdtempSync(join(tmpdir(), "postrider-bench-redis-"));
  const port = await freePort();
  const settings = { port, dir: data, appendonly: "yes", appendfsync: fsync, save: "" };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const noEviction = ["--bind", "127.0.0.1", "--maxmemory-policy", "noeviction"];
  const child = spawn(command, [...args, ...noEviction], {
    stdio: "ignore",
    env: { ...process.env, ...environment },
  });
  await accepts(port);
  return {
    port,
    pid: child.pid ?? 0,
    stop: async () => {
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      await gone;
      rmSync(data, { recursive: true, force: true });
    },
  };
}

function findRedis(): [command: string, environment: Readonly<Record<string, string>>] {
  if (spawnSync("redis-server", ["--version"]).status === 0) return ["redis-server", {}];
  const root = besides("../../.cache/redis");
  if (!existsSync(root)) unpackPackages(root, ["redis-server"]);
  const triplet = process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
  const libraries = [join(root, "usr/lib", triplet), join(root, "lib", triplet)].join(":");
  return [join(root, "usr/bin/redis-server"), { LD_LIBRARY_PATH: libraries }];
}

async function accepts(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const socket = connect({ port, host: "127.0.0.1" });
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("Redis did not start");
}
