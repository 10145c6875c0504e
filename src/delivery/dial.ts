import { connect, type Socket } from "node:net";
import type { Clock } from "../platform/clock.ts";
import { ABORTED } from "./courier.ts";
import { DeliveryError } from "./network-error.ts";

export interface Dial {
  readonly address: string;
  readonly port: number;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** One TCP connection; the abort of the signal closes it for as long as it lives. */
export function dial({ address, port, timeoutMs, clock, signal }: Dial): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, noDelay: true, keepAlive: true });
    const close = (): void => void socket.destroy(new DeliveryError(ABORTED));
    const cancel = clock.after(timeoutMs, () => {
      socket.destroy(new DeliveryError("connection timed out"));
    });
    signal.addEventListener("abort", close);
    socket.once("connect", () => {
      cancel();
      resolve(socket);
    });
    // The listener stays: before the HTTP client has its own, an error must find someone.
    socket.on("error", reject);
    socket.once("close", () => {
      cancel();
      signal.removeEventListener("abort", close);
    });
  });
}
