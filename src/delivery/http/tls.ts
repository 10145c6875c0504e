import { constants } from "node:crypto";
import { isIP, type Socket } from "node:net";
import * as tls from "node:tls";
import { bareHost } from "../../core/policy/egress/egress.ts";
import type { Clock } from "../../platform/clock.ts";
import { DeliveryError, seconds } from "./network-error.ts";
import type { Target } from "./target.ts";
import { TlsSessions } from "./tls-sessions.ts";

/** Starts TLS over a socket to the target and verifies its certificate. */
export type StartTls = (target: Target, socket: Socket) => Promise<Socket>;

export interface TlsOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Authorities in PEM form that are trusted besides the usual ones. */
  readonly extraAuthorities: readonly string[];
}

export function tlsStarter({ clock, timeoutMs, extraAuthorities }: TlsOptions): StartTls {
  const secureContext = tls.createSecureContext({
    ...trust(extraAuthorities),
    // Each handshake that a destination asks for later costs as much as the first.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  });
  const sessions = new TlsSessions();
  const tooSlow = `no TLS handshake within ${seconds(timeoutMs)}`;
  return (target, socket) => {
    const key = `${target.hostname}:${target.port}`;
    const session = sessions.take(key);
    const secured = tls.connect({
      socket,
      secureContext,
      host: target.hostname,
      ALPNProtocols: ["http/1.1"],
      // Set here, since an environment variable would decide otherwise.
      rejectUnauthorized: true,
      ...(session !== undefined && { session }),
      // TLS knows no dot at the end of a name.
      ...(isIP(target.hostname) === 0 && { servername: bareHost(target.hostname) }),
    });
    secured.on("session", (next) => sessions.keep(key, next));
    return handshake(secured, clock, timeoutMs, tooSlow);
  };
}

function handshake(
  secured: tls.TLSSocket,
  clock: Clock,
  timeoutMs: number,
  tooSlow: string,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(timeoutMs, () => secured.destroy(new DeliveryError(tooSlow)));
    secured.once("secureConnect", () => {
      cancel();
      resolve(secured);
    });
    // The listener stays: an error without one would end the process.
    secured.on("error", (error) => {
      cancel();
      reject(error);
    });
    secured.once("close", () => {
      cancel();
      reject(new DeliveryError("connection reset"));
    });
  });
}

function trust(extraAuthorities: readonly string[]): { ca?: string[] } {
  return extraAuthorities.length === 0 ? {} : { ca: [...usualAuthorities(), ...extraAuthorities] };
}

/** Before Node 22.15 only those that come with it. */
function usualAuthorities(): readonly string[] {
  const { getCACertificates } = tls as Partial<typeof tls>;
  return getCACertificates?.("default") ?? tls.rootCertificates;
}
