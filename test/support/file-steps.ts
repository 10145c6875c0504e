/**
 * Loaded into a process before its program, with `--import`: counts the steps by which it changes a folder through
 * `node:fs`, and ends the process or fills the disk at one of them. What SQLite writes by itself is not seen here.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { isMainThread } from "node:worker_threads";

/** What is to happen at a step. A process that is killed dies right before it. */
export type FileFault = "kill" | "full" | "none";

/** The environment of a process whose steps below `folder` are written to `record`, one in a line. */
export function fileSteps(
  folder: string,
  record: string,
  fault: FileFault = "none",
  at = 0,
): Record<string, string> {
  return {
    FILE_STEPS: JSON.stringify({ folder, record, fault, at }),
    NODE_OPTIONS: `--import=${import.meta.url}`,
  };
}

interface Plan {
  readonly folder: string;
  readonly record: string;
  readonly fault: FileFault;
  readonly at: number;
}

const real = { ...fs };
const paths = new Map<number, string>();
let count = 0;

if (process.env["FILE_STEPS"] !== undefined && isMainThread) {
  watch(JSON.parse(process.env["FILE_STEPS"]) as Plan);
}

function watch(plan: Plan): void {
  const step = (name: string, ...changed: (string | undefined)[]): void => {
    if (!changed.some((path) => path?.startsWith(plan.folder))) return;
    // A full disk is met by the contents of files; their names still fit.
    if (plan.fault !== "full" || name === "write") count += 1;
    real.appendFileSync(plan.record, `${[name, ...changed].join(" ")}\n`);
    if (count !== plan.at) return;
    if (plan.fault === "kill") process.kill(process.pid, "SIGKILL");
    if (plan.fault === "full" && name === "write") throw diskFull();
  };
  fs.openSync = (path, flags, mode) => {
    const isCreated = typeof flags === "string" && /[wa]/.test(flags);
    if (isCreated) step("create", String(path));
    const file = real.openSync(path, flags, mode);
    paths.set(file, String(path));
    return file;
  };
  fs.writeSync = (file: number, ...rest: unknown[]): number => {
    step("write", paths.get(file));
    return (real.writeSync as (...args: unknown[]) => number)(file, ...rest);
  };
  fs.writeFileSync = (target, data, options) => {
    const { flag = "w", mode } = (options ?? {}) as { flag?: string; mode?: number };
    const file = typeof target === "number" ? target : fs.openSync(target, flag, mode);
    fs.writeSync(file, data as string);
    if (typeof target !== "number") real.closeSync(file);
  };
  fs.fsyncSync = (file) => {
    step("sync", paths.get(file));
    real.fsyncSync(file);
  };
  fs.linkSync = (from, to) => {
    step("link", String(from), String(to));
    real.linkSync(from, to);
  };
  fs.renameSync = (from, to) => {
    step("rename", String(from), String(to));
    real.renameSync(from, to);
  };
  fs.rmSync = (path, options) => {
    if (real.existsSync(path)) step("remove", String(path));
    real.rmSync(path, options);
  };
  fs.mkdirSync = ((path: string, options: fs.MakeDirectoryOptions) => {
    if (!real.existsSync(path)) step("folder", path);
    return real.mkdirSync(path, options);
  }) as typeof fs.mkdirSync;
  syncBuiltinESMExports();
}

function diskFull(): Error {
  const fields = { code: "ENOSPC", syscall: "write", errno: -28 };
  return Object.assign(new Error("ENOSPC: no space left on device, write"), fields);
}
