/** The program of open-files.test.ts: opens all files it may, and gives some back after a while. */
import { closeSync, openSync } from "node:fs";
import { dial } from "../../src/delivery/http/dial.ts";
import { systemClock } from "../../src/platform/clock.ts";

const [port = "", timeoutMs = "", givesBack = ""] = process.argv.slice(2);
// Whatever is read when something happens for the first time is read now.
await dialed("127.0.0.1");
const taken = takeAll();
if (givesBack === "yes") setTimeout(() => taken.splice(0, 8).forEach(closeSync), 300);
const result = await dialed("127.0.0.1");
taken.forEach(closeSync);
console.log(result);

async function dialed(address: string): Promise<string> {
  const limits = { timeoutMs: Number(timeoutMs), limitMs: Number(timeoutMs) };
  const { signal } = new AbortController();
  try {
    const socket = await dial({
      address,
      port: Number(port),
      ...limits,
      clock: systemClock,
      signal,
    });
    socket.destroy();
    return "connected";
  } catch (error) {
    return (error as Error).message;
  }
}

function takeAll(): number[] {
  const files: number[] = [];
  for (;;) {
    try {
      files.push(openSync("/dev/null", "r"));
    } catch {
      return files;
    }
  }
}
