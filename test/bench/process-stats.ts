import { readdirSync, readFileSync } from "node:fs";

const TICK_US = 10_000;

/** Processor time a process has used so far, all threads, in microseconds. */
export function cpuUs(pid: number): number {
  const fields = statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

/** The same by thread: the main one, those that the store names, and all others together. */
export interface ThreadTimes {
  readonly main: number;
  readonly writer: number;
  readonly reader: number;
  readonly others: number;
}

export function threadCpuUs(pid: number): ThreadTimes {
  const times = { main: 0, writer: 0, reader: 0, others: 0 };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const fields = statOf(Number(thread), `/proc/${pid}/task`);
    const usedUs = (Number(fields[11]) + Number(fields[12])) * TICK_US;
    const name = readFileSync(`/proc/${pid}/task/${thread}/comm`, "utf8").trim();
    times[Number(thread) === pid ? "main" : (STORE_THREADS[name] ?? "others")] += usedUs;
  }
  return times;
}

const STORE_THREADS: Readonly<Record<string, keyof ThreadTimes>> = {
  writer: "writer",
  reader: "reader",
  lists: "reader",
};

/** The same of a process, of those it started that live, and of those it has seen end. */
export function familyCpuUs(pid: number): number {
  const [ended, endedInSystem] = statOf(pid).slice(13, 15).map(Number);
  let usedUs = cpuUs(pid) + (ended! + endedInSystem!) * TICK_US;
  for (const name of readdirSync("/proc")) {
    const child = Number(name);
    if (child > 0 && parentOf(child) === pid) usedUs += cpuUs(child);
  }
  return usedUs;
}

/** 0 when it has ended. */
function parentOf(pid: number): number {
  try {
    return Number(statOf(pid)[1]);
  } catch {
    return 0;
  }
}

/** What the system says of a process, from its state on. */
function statOf(pid: number, folder = "/proc"): string[] {
  const text = readFileSync(`${folder}/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

/** The most memory it has had resident so far, in megabytes. */
export function rssPeakMb(pid: number): number {
  return statusMb(pid, "VmHWM");
}

/** What it has resident now. */
export function rssMb(pid: number): number {
  return statusMb(pid, "VmRSS");
}

function statusMb(pid: number, field: string): number {
  const line = new RegExp(`${field}:\\s+(\\d+) kB`).exec(
    readFileSync(`/proc/${pid}/status`, "utf8"),
  );
  return Math.round(Number(line?.[1] ?? 0) / 1024);
}
