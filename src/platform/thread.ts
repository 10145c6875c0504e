import {
  type MessagePort,
  parentPort,
  type Transferable,
  Worker,
  workerData,
} from "node:worker_threads";

interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

interface Reply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: unknown;
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** An object that lives in its own thread, called by the names of its methods. */
export class Thread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #ended: Error | null = null;

  /** The system shows the thread under its name, at most 15 letters of it. */
  constructor(name: string, file: URL, data: string, onDeath: (error: Error) => void) {
    const options = { name, workerData: data, resourceLimits: RESOURCE_LIMITS, ...QUIET };
    this.#worker = new Worker(file, options);
    this.#worker.on("message", (reply: Reply) => this.#answer(reply));
    this.#worker.on("error", (error: Error) => this.#end(error, onDeath));
    this.#worker.on("exit", () => this.#end(new Error("the thread has ended"), () => undefined));
  }

  call(
    method: string,
    args: readonly unknown[],
    transfer: readonly Transferable[] = [],
  ): Promise<unknown> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage({ id, method, args } satisfies Call, transfer);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  /** Whether the process stays while the thread has nothing to do; it does unless told otherwise. */
  holdProcess(isHeld: boolean): void {
    if (isHeld) this.#worker.ref();
    else this.#worker.unref();
  }

  #answer({ id, value, error }: Reply): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error !== undefined) pending?.reject(error);
    else pending?.resolve(value);
  }

  #end(error: Error, onDeath: (error: Error) => void): void {
    if (this.#ended !== null) return;
    this.#ended = error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    onDeath(error);
  }
}

/** Node 22 calls its SQLite experimental in each thread that loads it. */
const QUIET = process.version.startsWith("v22.")
  ? { execArgv: ["--disable-warning=ExperimentalWarning"] }
  : {};
/**
 * Objects of a thread live briefly: a small nursery costs no more collecting and far less memory.
 */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 8 };

export type Methods = Readonly<Record<string, (...args: never[]) => unknown>>;

/**
 * The side inside the thread: makes the object from the data the thread was started with, and
 * answers calls.
 */
export function serveThread(make: (data: string) => Methods): void {
  const port: MessagePort | null = parentPort;
  if (port === null) throw new Error("this file is the main file of a thread");
  const methods = make(workerData as string);
  port.on("message", ({ id, method, args }: Call) => {
    try {
      const value = methods[method]?.(...(args as never[]));
      port.postMessage({ id, value } satisfies Reply);
    } catch (error) {
      port.postMessage({ id, error: portable(error) } satisfies Reply);
    }
  });
}

/** Structured cloning keeps only the message of an error, but callers decide by its code. */
export function portable(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return Object.assign({}, error, { name: error.name, message: error.message, stack: error.stack });
}
