import type { Socket } from "node:net";
import { createSecureContext, getCACertificates } from "node:tls";
import { buildConnector, errors } from "undici";
import { DeliveryError, seconds } from "./network-error.ts";

/** The destination of a connection, as the HTTP client describes it. */
export type Target = buildConnector.Options;

/** Starts TLS over a socket to the target and verifies its certificate. */
export type StartTls = (target: Target, httpSocket: Socket) => Promise<Socket>;

export function tlsStarter(timeoutMs: number, extraAuthorities: readonly string[]): StartTls {
  const start = buildConnector({
    allowH2: false,
    timeout: timeoutMs,
    // Set here, since an environment variable would decide otherwise.
    rejectUnauthorized: true,
    secureContext: createSecureContext(trust(extraAuthorities)),
  });
  const tooSlow = `no TLS handshake within ${seconds(timeoutMs)}`;
  return (target, httpSocket) =>
    new Promise((resolve, reject) => {
      start({ ...target, httpSocket }, (error, socket) => {
        if (error === null) resolve(socket);
        else reject(isTimeout(error) ? new DeliveryError(tooSlow) : error);
      });
    });
}

function isTimeout(error: Error): boolean {
  return error instanceof errors.ConnectTimeoutError;
}

function trust(extraAuthorities: readonly string[]): { ca?: string[] } {
  return extraAuthorities.length === 0
    ? {}
    : { ca: [...getCACertificates("default"), ...extraAuthorities] };
}
