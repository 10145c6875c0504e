import { connect, type Socket } from "node:net";
import type { Clock } from "../../platform/clock.ts";
import { ABORTED } from "../courier.ts";
import { DeliveryError, seconds } from "./network-error.ts";

export interface Dial {
  readonly address: string;
  readonly port: number;
  readonly timeoutMs: number;
  /** How long connecting may take in all; `timeoutMs` of it is left. */
  readonly limitMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** One TCP connection; aborting the signal closes it at any time. */
export function dial(options: Dial): Promise<Socket> {
  const { address, port, timeoutMs, limitMs, clock, signal } = options;
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, noDelay: true, keepAlive: true });
    const close = (): void => void socket.destroy(new DeliveryError(ABORTED));
    const cancel = clock.after(timeoutMs, () => {
      socket.destroy(new DeliveryError(`no connection within ${seconds(limitMs)}`));
    });
    signal.addEventListener("abort", close);
    socket.once("connect", () => {
      cancel();
      resolve(socket);
    });
    // The listener stays: until the HTTP client adds its own, an error without one would end the
    // process.
    socket.on("error", reject);
    socket.once("close", () => {
      cancel();
      signal.removeEventListener("abort", close);
    });
  });
}
