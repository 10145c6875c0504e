/** Whether a delivery was signed for the endpoint that received it, and not for another one. */
import { ForeignSignatureError } from "../errors.ts";
import type { HeaderView } from "./incoming.ts";

/** An endpoint's own URL and host names. */
export interface OwnUrl {
  /** From the options, else from the request: its host is then one that a caller can choose. */
  readonly url: string;
  readonly isGiven: boolean;
  readonly headers: HeaderView;
  /** Whether a proxy sets the headers that name the host, whatever a caller sends. */
  readonly trustsProxy: boolean;
}

/**
 * A signature contains the URL that the message was sent to. It is compared by host and path: the
 * scheme changes where a proxy ends TLS. A trusted proxy may report the host it was called by.
 */
export function requireSignedFor(signed: unknown, own: OwnUrl): void {
  if (signed === own.url) return;
  const wanted = addressOf(signed);
  const known = addressOf(own.url);
  if (wanted !== undefined && known !== undefined && wanted.path === known.path) {
    const reported = own.isGiven || !own.trustsProxy ? [] : hostsOf(own.headers);
    if ([known.host, ...reported].includes(wanted.host)) return;
  }
  throw new ForeignSignatureError(
    `the signature is for ${String(signed)}, not for ${own.url}; ` +
      "if the service reaches this endpoint under the first, give that as url in the options of serve" +
      (own.isGiven || own.trustsProxy ? "" : ", or trustProxy: true if a proxy reports the host"),
  );
}

/**
 * A plain message has nothing but its URL to say that a run was meant, and a caller can send any
 * host: so only a URL from the options counts, and all of it.
 */
export function requireSignedForStart(signed: unknown, { url, isGiven }: OwnUrl): void {
  if (isGiven && (signed === url || isSame(signed, url))) return;
  const known = isGiven ? `, and here it is ${url}` : "";
  throw new ForeignSignatureError(
    "a plain message starts a run only at the url in the options of serve" +
      `${known}; if ${String(signed)} is this workflow, give url: ${JSON.stringify(signed)}`,
  );
}

function isSame(signed: unknown, url: string): boolean {
  const [one, other] = [addressOf(signed), addressOf(url)];
  if (one === undefined || other === undefined) return false;
  return one.origin === other.origin && one.path === other.path && one.query === other.query;
}

interface UrlAddress {
  readonly origin: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

function addressOf(url: unknown): UrlAddress | undefined {
  try {
    const { origin, hostname, port, pathname, search } = new URL(String(url));
    const host = withoutUsualPort(hostname, port);
    return { origin, host, path: normalPath(pathname), query: search };
  } catch {
    return undefined;
  }
}

/** The hosts that the nearest proxy reports: others may have come with the request. */
function hostsOf(headers: HeaderView): string[] {
  const forwarded = headers.get("X-Forwarded-Host")?.split(",").at(-1);
  return [headers.get("Host"), forwarded].flatMap((host) => {
    return host ? (addressOf(`http://${host.trim()}/`)?.host ?? []) : [];
  });
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
