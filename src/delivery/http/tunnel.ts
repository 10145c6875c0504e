/** Connections through the egress proxy, which opens a tunnel and sees only its host and port. */

import type { Socket } from "node:net";
import type { EgressProxy } from "../../core/policy/egress/egress.ts";
import type { Clock } from "../../platform/clock.ts";
import { dialInTurn } from "./dial.ts";
import type { NameResolver } from "../guard/name-resolver.ts";
import { CLOSED_EARLY, DeliveryError, noAnswerFrom, NOT_HTTP, seconds } from "./network-error.ts";
import type { Target } from "./target.ts";
import type { StartTls } from "./tls.ts";

export interface TunnelOptions {
  readonly clock: Clock;
  readonly proxy: EgressProxy;
  readonly resolver: NameResolver;
  readonly connectTimeoutMs: number;
  readonly startTls: StartTls;
}

/** Opens a tunnel to a target; every error on the way names the proxy. */
export async function openTunnel(
  options: TunnelOptions,
  target: Target,
  signal: AbortSignal,
): Promise<Socket> {
  const { clock, connectTimeoutMs } = options;
  const giveUpAt = clock.monotonic() + connectTimeoutMs;
  try {
    const socket = await reachProxy(options, signal);
    const timeoutMs = Math.max(0, giveUpAt - clock.monotonic());
    const cancel = clock.after(timeoutMs, () => {
      socket.destroy(new DeliveryError(`no answer to CONNECT within ${seconds(connectTimeoutMs)}`));
    });
    try {
      return await askForTunnel(socket, connectRequest(options.proxy, target));
    } finally {
      cancel();
    }
  } catch (error) {
    throw signal.aborted ? error : new DeliveryError(`egress proxy: ${noAnswerFrom(error).error}`);
  }
}

/** The operator has chosen the proxy, so its address is not judged. */
async function reachProxy(
  { clock, proxy, resolver, connectTimeoutMs, startTls }: TunnelOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const { host, port } = proxy;
  const addresses = await resolver.resolve(host);
  const socket = await dialInTurn(addresses, { port, limitMs: connectTimeoutMs, clock, signal });
  if (!proxy.isTls) return socket;
  return startTls({ isTls: true, hostname: host, port }, socket);
}

function connectRequest({ credentials }: EgressProxy, { hostname, port }: Target): string {
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  const authority = `${host}:${port}`;
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`];
  if (credentials !== null) {
    lines.push(`Proxy-Authorization: Basic ${Buffer.from(credentials).toString("base64")}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Resolves when the proxy has agreed; from then on the bytes are the destination's. */
function askForTunnel(socket: Socket, request: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const head = Buffer.alloc(HEAD_BYTES_MAX);
    let size = 0;
    const read = (): void => {
      for (let chunk: Buffer | null; (chunk = socket.read() as Buffer | null) !== null;) {
        const before = size;
        size += chunk.copy(head, size);
        const end = head.subarray(0, size).indexOf(HEAD_END, Math.max(0, before - HEAD_END.length));
        if (end >= 0) return judge(end, chunk.subarray(end + HEAD_END.length - before));
        if (size - before < chunk.length) return fail(new DeliveryError(NOT_HTTP));
      }
    };
    const judge = (end: number, rest: Buffer): void => {
      const status = STATUS_LINE.exec(head.toString("latin1", 0, end))?.[1];
      if (status === undefined) return fail(new DeliveryError(NOT_HTTP));
      if (!status.startsWith("2")) return fail(new DeliveryError(refusalText(status)));
      stopListening();
      if (rest.length > 0) socket.unshift(rest);
      resolve(socket);
    };
    const fail = (error: Error): void => {
      stopListening();
      socket.destroy();
      reject(error);
    };
    const closed = (): void => fail(new DeliveryError(CLOSED_EARLY));
    const stopListening = (): void => {
      socket.off("readable", read).off("error", fail).off("end", closed).off("close", closed);
      // Until the next owner adds a listener of its own, an error without one would end the
      // process.
      socket.on("error", () => undefined);
    };
    socket.on("readable", read).on("error", fail).on("end", closed).on("close", closed);
    socket.write(request);
  });
}

function refusalText(status: string): string {
  return status === "407"
    ? "it does not accept our credentials (407)"
    : `it refused to connect (${status})`;
}

const HEAD_END = "\r\n\r\n";
const HEAD_BYTES_MAX = 16 * 1024;
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})(?: |\r\n|$)/;
