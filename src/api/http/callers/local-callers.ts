import type { IncomingMessage } from "node:http";
import type { Settings } from "../../../config/settings.ts";
import { Problem } from "../../../core/problem.ts";
import { shortened } from "../../../core/shown-name.ts";
import { isLoopbackHost } from "../../../core/policy/egress/address.ts";

/** Refuses a request from a forbidden origin or host. */
export type CallerGuard = (request: IncomingMessage) => void;

/**
 * The credentials of `dev` are public, so they keep no caller out. Web pages are kept out because a
 * browser reports the host of a request and the page that makes it.
 */
export function callerGuard({
  mode,
  allowRemote,
  publicUrl,
}: Pick<Settings, "mode" | "allowRemote" | "publicUrl">): CallerGuard {
  if (mode !== "dev") return () => undefined;
  const publicHost = publicUrl === undefined ? null : new URL(publicUrl).hostname;
  const isOwn = (host: string): boolean => {
    const hostname = hostnameOf(`http://${host}`);
    return hostname !== null && (isLoopbackHost(hostname) || hostname === publicHost);
  };
  return ({ headers }) => {
    const { host, origin } = headers;
    if (!allowRemote && host !== undefined && !isOwn(host)) throw foreignHost(host);
    if (origin === undefined) {
      if (headers["sec-fetch-site"] === "cross-site") throw foreignPage("another site");
      return;
    }
    const page = URL.parse(origin);
    const isOwnPage = page !== null && (isOwn(page.host) || (allowRemote && page.host === host));
    if (!isOwnPage) throw foreignPage(origin);
  };
}

function hostnameOf(url: string): string | null {
  return URL.parse(url)?.hostname ?? null;
}

function foreignHost(host: string): Problem {
  return new Problem(
    "not-local",
    `Host: dev answers to localhost, and not to ${JSON.stringify(shortened(host))}; give --public-url if that is its address, or --allow-remote for any`,
  );
}

function foreignPage(origin: string): Problem {
  return new Problem(
    "not-local",
    `Origin: dev takes no calls of a page of ${shortened(origin)}; give --public-url if that is its own address`,
  );
}
