import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Log } from "../platform/log.ts";

/** In a checkout, builds the dashboard beside the running service when its sources have changed. */
export function buildDashboard(log: Log): void {
  const program = join(ROOT, "dashboard", "build.mjs");
  if (!import.meta.url.endsWith(".ts") || !existsSync(program)) return;
  const child = spawn(process.execPath, [program], { stdio: ["ignore", "ignore", "pipe"] });
  child.unref();
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (complaint.length < COMPLAINT_CHARACTERS_MAX) complaint += text;
  });
  child.once("error", (error) => log.warn(NOT_BUILT, { error }));
  child.once("close", (code) => {
    if (code !== 0) log.warn(NOT_BUILT, { code, complaint });
  });
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const COMPLAINT_CHARACTERS_MAX = 10_000;
const NOT_BUILT = "the dashboard could not be built; the API works without it";
