/** Whether a delivery was signed for the endpoint that got it, and not for another one. */
import { SignatureError } from "../errors.ts";
import type { HeaderView } from "./incoming.ts";

/** What an endpoint knows of its own URL. */
export interface OwnUrl {
  /** As given in the options, else as the request has it. */
  readonly url: string;
  readonly isGiven: boolean;
  readonly headers: HeaderView;
}

/**
 * A signature names the URL that the message was sent to. It is compared by host and path: the scheme
 * changes where a proxy ends TLS. A proxy may also say which host it was called by.
 */
export function requireSignedFor(signed: unknown, own: OwnUrl): void {
  if (signed === own.url) return;
  const wanted = placeOf(String(signed));
  const known = placeOf(own.url);
  if (wanted !== undefined && known !== undefined && wanted.path === known.path) {
    const hosts = own.isGiven ? [known.host] : [known.host, ...hostsOf(own.headers)];
    if (hosts.includes(wanted.host)) return;
  }
  throw new SignatureError(
    `the signature is for ${String(signed)}, not for ${own.url}; ` +
      "if the service reaches this endpoint under the first, give that as url in the options of serve",
  );
}

interface Place {
  readonly host: string;
  readonly path: string;
}

function placeOf(url: string): Place | undefined {
  try {
    const { hostname, port, pathname } = new URL(url);
    return { host: withoutUsualPort(hostname, port), path: normalPath(pathname) };
  } catch {
    return undefined;
  }
}

/** What the request and the proxies before it say. */
function hostsOf(headers: HeaderView): string[] {
  const said = [headers.get("Host"), headers.get("X-Forwarded-Host")].join(",").split(",");
  return said.flatMap((host) => placeOf(`http://${host.trim()}/`)?.host ?? []);
}

/** Of either scheme, since the scheme does not count. */
function withoutUsualPort(hostname: string, port: string): string {
  const name = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
  return port === "" || port === "80" || port === "443" ? name : `${name}:${port}`;
}

/** Without a slash at the end, and with letters that need not be encoded as they are. */
function normalPath(pathname: string): string {
  const decoded = pathname.replace(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : code.toUpperCase();
  });
  return decoded.replace(/\/+$/, "");
}
