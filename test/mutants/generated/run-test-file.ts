import { spawn } from "node:child_process";
import { once } from "node:events";

export interface TestFileRun {
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface TestFileVerdict {
  /** A file that hangs, or cannot be loaded, has noticed something too. */
  readonly verdict: "passed" | "failed";
  readonly durationMs: number;
}

/** One test file in a process of its own, on SQLite alone. */
export async function runTestFile(file: string, run: TestFileRun): Promise<TestFileVerdict> {
  const startedAt = performance.now();
  const options = ["--test", "--test-isolation=none", "--test-force-exit", "--test-reporter=dot"];
  const child = spawn(process.execPath, [...options, file], {
    cwd: run.cwd,
    stdio: "ignore",
    env: { ...process.env, ...run.environment, TEST_POSTGRES_MISSING: "not for mutations" },
    // A group of its own, so that what a test started ends with it.
    detached: true,
  });
  const expiry = setTimeout(() => kill(child.pid), run.timeoutMs);
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(expiry);
  kill(child.pid);
  return { verdict: code === 0 ? "passed" : "failed", durationMs: performance.now() - startedAt };
}

function kill(group: number | undefined): void {
  try {
    if (group !== undefined) process.kill(-group, "SIGKILL");
  } catch {
    // It has ended.
  }
}
