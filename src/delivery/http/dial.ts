import { connect, type OnReadOpts, type Socket } from "node:net";
import type { Clock } from "../../platform/clock.ts";
import { ABORTED } from "../courier.ts";
import { DeliveryError, seconds } from "./network-error.ts";

/** Takes what arrives on a socket. */
export interface Inlet {
  /** The bytes are overwritten after the call. False pauses the socket. */
  receive(bytes: Buffer): boolean;
}

export interface Dial {
  readonly address: string;
  readonly port: number;
  readonly timeoutMs: number;
  /** How long connecting may take in all; `timeoutMs` of it is left. */
  readonly limitMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Without one, what arrives is read as a stream. */
  readonly inlet?: Inlet | undefined;
}

/** Dials the first three addresses in turn, within one time limit; fails as the last of them did. */
export async function dialInTurn(
  addresses: readonly string[],
  options: Omit<Dial, "address" | "timeoutMs">,
  judge: (socket: Socket) => Socket = (socket) => socket,
): Promise<Socket> {
  const { clock, signal, limitMs } = options;
  const giveUpAt = clock.monotonic() + limitMs;
  let failure: unknown = new DeliveryError("no such host");
  for (const address of addresses.slice(0, DIALLED_MAX)) {
    const timeoutMs = giveUpAt - clock.monotonic();
    if (timeoutMs <= 0 || signal.aborted) break;
    try {
      return judge(await dial({ ...options, address, timeoutMs }));
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/**
 * One TCP connection; aborting the signal closes it at any time. When this process has no open file
 * left, which is not the fault of the destination, it waits for one.
 */
export async function dial(options: Dial): Promise<Socket> {
  const { clock, timeoutMs, signal } = options;
  const giveUpAt = clock.monotonic() + timeoutMs;
  for (let leftMs = timeoutMs; ; leftMs = giveUpAt - clock.monotonic()) {
    try {
      return await dialOnce({ ...options, timeoutMs: leftMs });
    } catch (error) {
      if (!isOutOfFiles(error) || signal.aborted) throw error;
      if (clock.monotonic() + WAIT_MS >= giveUpAt) throw new DeliveryError(OUT_OF_FILES);
    }
    await clock.sleep(WAIT_MS);
  }
}

function isOutOfFiles(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "EMFILE" || code === "ENFILE";
}

function dialOnce(options: Dial): Promise<Socket> {
  const { address, port, timeoutMs, limitMs, clock, signal, inlet } = options;
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: address,
      port,
      noDelay: true,
      keepAlive: true,
      ...(inlet !== undefined && { onread: intoSharedBuffer(inlet) }),
    });
    const close = (): void => void socket.destroy(new DeliveryError(ABORTED));
    const cancel = clock.after(timeoutMs, () => {
      socket.destroy(new DeliveryError(`no connection within ${seconds(limitMs)}`));
    });
    signal.addEventListener("abort", close);
    socket.once("connect", () => {
      cancel();
      resolve(socket);
    });
    // The listener stays: until the next owner adds one, an error without it would end the process.
    socket.on("error", reject);
    socket.once("close", () => {
      cancel();
      signal.removeEventListener("abort", close);
    });
  });
}

/** All sockets read into one buffer: what arrives is used before the next read. */
function intoSharedBuffer(inlet: Inlet): OnReadOpts {
  return {
    buffer: sharedBuffer,
    callback: (length) => inlet.receive(sharedBuffer.subarray(0, length)),
  };
}

const DIALLED_MAX = 3;
const WAIT_MS = 100;
const OUT_OF_FILES = "the service had no open file left for a connection (see ulimit -n)";
const sharedBuffer = Buffer.alloc(64 * 1024);
