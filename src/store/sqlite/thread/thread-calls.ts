import type { Transferable } from "node:worker_threads";
import { Thread } from "../../../platform/thread.ts";
import { everyMethod, isApart } from "../../reads/read-kinds.ts";
import type { DriverReader } from "../../reads/reading.ts";
import { toOpenError } from "./errors.ts";
import { readingMethods } from "./reading-methods.ts";
import { SqliteWriter } from "./writer.ts";

/** Calls a method by name, in a thread or in this one. */
export type ThreadCall = (
  method: string,
  args: readonly unknown[],
  transfer?: readonly Transferable[],
) => Promise<unknown>;

export interface ThreadCalls {
  readonly writing: ThreadCall;
  readonly reading: ThreadCall;
  /** Reads lists, which take long, while the other reader reads single records. */
  readonly listing: ThreadCall;
}

export type StartThreads = (path: string, onDeath: (error: Error) => void) => Promise<ThreadCalls>;

/** Writer and readers in threads, so that waiting for the disk never blocks the event loop. */
export async function startThreads(
  path: string,
  onDeath: (error: Error) => void,
): Promise<ThreadCalls> {
  // A thread that cannot open the file rejects its first call before its exit is reported.
  let isOpen = false;
  const died = (error: Error): void => {
    if (isOpen) onDeath(error);
  };
  try {
    const writing = callThread("writer", "writer-thread", path, died);
    await writing("ready", []);
    const reading = callThread("reader", "reader-thread", path, died);
    const listing = callThread("lists", "reader-thread", path, died);
    await Promise.all([reading("ready", []), listing("ready", [])]);
    isOpen = true;
    return { writing, reading, listing };
  } catch (error) {
    throw toOpenError(error, path);
  }
}

/** Writer and readers on one connection: threads cannot share a database in memory. */
export function startInMemory(): ThreadCalls {
  const writing = new SqliteWriter(":memory:");
  const methods = readingMethods(writing.database);
  const reading = callObject({ ...methods, close: () => undefined });
  return { writing: callObject(writing), reading, listing: reading };
}

/** A reader whose methods are calls to the reading threads. */
export function callingReader({ reading, listing }: ThreadCalls): DriverReader {
  return everyMethod(({ name, kind }) => {
    const call = isApart(kind) ? listing : reading;
    return (...asked) => call(name, asked);
  });
}

function callThread(
  name: string,
  file: string,
  path: string,
  onDeath: (error: Error) => void,
): ThreadCall {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const url = new URL(`./${file}.${extension}`, import.meta.url);
  const thread = new Thread(name, url, path, onDeath);
  return async (method, args, transfer) => {
    const value = await thread.call(method, args, transfer);
    if (method === "close") await thread.close();
    return value;
  };
}

function callObject(target: object): ThreadCall {
  const methods = target as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
  return (method, args) =>
    new Promise((resolve) => {
      resolve(methods[method]?.(...args));
    });
}
