/**
 * Threads for stores that are opened by the hundred: to start the three threads of a store takes more
 * processor time than most tests. They are those of the product but for their main file, and serve
 * one store after another; whoever tests how threads start or die takes the product's own.
 */
import { Thread } from "../../src/platform/thread.ts";
import type { ThreadCall, ThreadCalls } from "../../src/store/sqlite/thread/thread-calls.ts";

type Role = "writer" | "reader";

interface KeptThread {
  readonly thread: Thread;
  onDeath: (error: Error) => void;
}

const MAIN_FILE = new URL("./kept-thread.ts", import.meta.url);
const idle: Readonly<Record<Role, KeptThread[]>> = { writer: [], reader: [] };

export async function startKeptThreads(
  path: string,
  onDeath: (error: Error) => void,
): Promise<ThreadCalls> {
  const writing = await openIn("writer", path, onDeath);
  const reading = openIn("reader", path, onDeath);
  const listing = openIn("reader", path, onDeath);
  return { writing, reading: await reading, listing: await listing };
}

async function openIn(
  role: Role,
  path: string,
  onDeath: (error: Error) => void,
): Promise<ThreadCall> {
  const kept = idle[role].pop() ?? startThread(role);
  kept.onDeath = onDeath;
  kept.thread.holdProcess(true);
  await kept.thread.call("open", [path]);
  return async (method, args, transfer) => {
    const value = await kept.thread.call("call", [method, ...args], transfer);
    if (method === "close") {
      kept.thread.holdProcess(false);
      idle[role].push(kept);
    }
    return value;
  };
}

function startThread(role: Role): KeptThread {
  const thread = new Thread(role, MAIN_FILE, role, (error) => kept.onDeath(error));
  const kept: KeptThread = { thread, onDeath: () => undefined };
  return kept;
}
