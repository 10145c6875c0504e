import { readFileSync } from "node:fs";

const TICK_US = 10_000;

/** Processor time a process has used so far, all threads, in microseconds. */
export function cpuUs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

/** The most memory it has had resident so far, in megabytes. */
export function rssPeakMb(pid: number): number {
  const match = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Math.round(Number(match?.[1] ?? 0) / 1024);
}
