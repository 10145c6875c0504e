/** What a process takes up, as Linux counts it. */
import { readFileSync } from "node:fs";

/** Why it cannot be told here; false when it can. */
export const MEMORY_UNKNOWN = process.platform === "linux" ? false : "only Linux tells it";

/** The most memory that a process has had so far, in MiB. */
export function peakMebibytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
