/** Whether a delivery was signed for the endpoint that received it, and not for another one. */
import { SignatureError } from "../errors.ts";
import type { HeaderView } from "./incoming.ts";

/** An endpoint's own URL and host names. */
export interface OwnUrl {
  /** From the options, else from the request. */
  readonly url: string;
  readonly isGiven: boolean;
  readonly headers: HeaderView;
}

/**
 * A signature contains the URL that the message was sent to. It is compared by host and path: the
 * scheme changes where a proxy ends TLS. A proxy may also report the host it was called by.
 */
export function requireSignedFor(signed: unknown, own: OwnUrl): void {
  if (signed === own.url) return;
  const wanted = addressOf(String(signed));
  const known = addressOf(own.url);
  if (wanted !== undefined && known !== undefined && wanted.path === known.path) {
    const hosts = own.isGiven ? [known.host] : [known.host, ...hostsOf(own.headers)];
    if (hosts.includes(wanted.host)) return;
  }
  throw new SignatureError(
    `the signature is for ${String(signed)}, not for ${own.url}; ` +
      "if the service reaches this endpoint under the first, give that as url in the options of serve",
  );
}

interface UrlAddress {
  readonly host: string;
  readonly path: string;
}

function addressOf(url: string): UrlAddress | undefined {
  try {
    const { hostname, port, pathname } = new URL(url);
    return { host: withoutUsualPort(hostname, port), path: normalPath(pathname) };
  } catch {
    return undefined;
  }
}

/** The hosts in the request and from the proxies before it. */
function hostsOf(headers: HeaderView): string[] {
  const said = [headers.get("Host"), headers.get("X-Forwarded-Host")].join(",").split(",");
  return said.flatMap((host) => addressOf(`http://${host.trim()}/`)?.host ?? []);
}

/** The usual port of either scheme, since the scheme does not count. */
function withoutUsualPort(hostname: string, port: string): string {
  const name = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
  return port === "" || port === "80" || port === "443" ? name : `${name}:${port}`;
}

/** Without a trailing slash, and without needless percent-encoding. */
function normalPath(pathname: string): string {
  const decoded = pathname.replace(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : code.toUpperCase();
  });
  return decoded.replace(/\/+$/, "");
}
