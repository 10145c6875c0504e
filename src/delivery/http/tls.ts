import type { Socket } from "node:net";
import { createSecureContext, getCACertificates } from "node:tls";
import { buildConnector, errors } from "undici";
import { DeliveryError, seconds } from "./network-error.ts";

/** Where a connection is to lead, in the words of the HTTP client. */
export type Target = buildConnector.Options;

/** Speaks TLS with the target over a socket that leads there, and verifies who answers. */
export type StartTls = (target: Target, httpSocket: Socket) => Promise<Socket>;

export function tlsStarter(timeoutMs: number, extraAuthorities: readonly string[]): StartTls {
  const start = buildConnector({
    allowH2: false,
    timeout: timeoutMs,
    // Said here because a variable of the environment would otherwise decide.
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
