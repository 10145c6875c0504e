/** The machine: program, clock, files, disk and port. */
import * as fs from "node:fs";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { CONTROL_FILE, readControlFile } from "../../config/control-file.ts";
import { DATA_FILES } from "../../config/data-folder.ts";
import { openFilesNotes } from "../../config/open-files.ts";
import type { Settings } from "../../config/settings.ts";
import { VERSION } from "../../config/version.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Finding } from "./finding.ts";
import { isAlive, reachable } from "../reachable.ts";
import { timeText } from "../terminal/time-text.ts";

export function* checkMachine(): Generator<Finding> {
  yield { check: "program", state: "ok", says: `Postrider ${VERSION} on Node ${process.version}` };
  const now = systemClock.wall();
  const builtAt = fs.statSync(new URL(import.meta.url)).mtimeMs;
  const says = `it is ${timeText(now)}`;
  yield now + DAY_MS < builtAt
    ? {
        check: "clock",
        state: "problem",
        says: `${says}, which is before this program was installed`,
        advice: "set the clock, and keep it set with NTP: schedules and signatures follow it",
      }
    : { check: "clock", state: "ok", says };
  for (const note of openFilesNotes()) {
    yield { check: "open files", state: "warning", says: note, advice: "raise ulimit -n" };
  }
}

export function* checkFiles(settings: Settings): Generator<Finding> {
  const folder = resolve(settings.data);
  const found = fs.statSync(folder, { throwIfNoEntry: false });
  const place = found === undefined ? existingAbove(folder) : folder;
  try {
    fs.accessSync(place, fs.constants.W_OK | fs.constants.X_OK);
  } catch {
    yield {
      check: "data",
      state: "problem",
      says: `${place} cannot be written by this user`,
      advice: "change its owner, or name another folder with --data",
    };
    return;
  }
  yield found === undefined
    ? { check: "data", state: "ok", says: `${folder} does not exist yet; it can be created` }
    : modesOf(folder, found.mode);
  if (found !== undefined) yield syncTime(folder);
  yield freeSpace(place, settings.minFreeDisk);
}

/** Free, held by the server of this data folder, or taken by another program. */
export async function checkPort(settings: Settings): Promise<Finding> {
  const { host, port } = settings;
  const where = `port ${port} on ${host}`;
  const problem = await listenProblem(host, port);
  if (problem === null) return { check: "port", state: "ok", says: `${where} is free` };
  const control =
    settings.databaseUrl === undefined ? readControlFile(resolve(settings.data)) : null;
  if (problem === "EADDRINUSE" && control !== null && (await isAlive(reachable(control.url)))) {
    return { check: "port", state: "ok", says: `the server of this data runs at ${control.url}` };
  }
  return {
    check: "port",
    state: "problem",
    says: `${where} cannot be used (${problem})`,
    advice: "stop the program that has it, or give --port or --host",
  };
}

function listenProblem(host: string, port: number): Promise<string | null> {
  const server = createServer();
  return new Promise((settle) => {
    server.once("error", (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => settle(null)));
  });
}

/** Other users of the machine must neither read the secrets nor replace the database. */
function modesOf(folder: string, mode: number): Finding {
  if ((mode & 0o022) !== 0) {
    return {
      check: "data",
      state: "warning",
      says: `other users can write to ${folder}`,
      advice: `chmod go-w ${folder}`,
    };
  }
  const open = [...DATA_FILES, CONTROL_FILE].filter((name) => {
    const found = fs.statSync(join(folder, name), { throwIfNoEntry: false });
    return found !== undefined && (found.mode & 0o077) !== 0;
  });
  if (open.length === 0) return { check: "data", state: "ok", says: `${folder} is yours alone` };
  return {
    check: "data",
    state: "warning",
    says: `other users can read ${open.join(", ")} in ${folder}`,
    advice: `chmod 600 ${open.map((name) => join(folder, name)).join(" ")}`,
  };
}

/** Every publish waits for such a write. */
function syncTime(folder: string): Finding {
  const path = join(folder, `doctor-${process.pid}.tmp`);
  const startedAt = systemClock.monotonic();
  const file = fs.openSync(path, "wx", 0o600);
  try {
    fs.writeSync(file, "x".repeat(4_096));
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
    fs.rmSync(path);
  }
  const tookMs = systemClock.monotonic() - startedAt;
  const says = `a write is on the disk after ${tookMs.toFixed(1)} ms`;
  if (tookMs < SLOW_SYNC_MS) return { check: "disk", state: "ok", says };
  const advice = "use a local SSD: each group of messages waits for one such write";
  return { check: "disk", state: "warning", says, advice };
}

function freeSpace(folder: string, freeBytesMin: number): Finding {
  const { bavail, bsize } = fs.statfsSync(folder);
  const freeBytes = bavail * bsize;
  const says = `${Math.floor(freeBytes / MEGABYTE)} MB are free at ${folder}`;
  const advice = `make room: below ${Math.floor(freeBytesMin / MEGABYTE)} MB publishing is refused`;
  if (freeBytes < freeBytesMin) return { check: "space", state: "problem", says, advice };
  if (freeBytes < freeBytesMin * 2) return { check: "space", state: "warning", says, advice };
  return { check: "space", state: "ok", says };
}

function existingAbove(folder: string): string {
  return fs.existsSync(folder) ? folder : existingAbove(dirname(folder));
}

const MEGABYTE = 1_000_000;
const SLOW_SYNC_MS = 50;
const DAY_MS = 86_400_000;
