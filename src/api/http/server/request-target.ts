import type { IncomingMessage } from "node:http";
import { Problem } from "../../../core/problem.ts";

/**
 * The target of a request may be a whole URL. From here on the request has its path alone, and its host as the one and
 * only Host: a second one would pass a check that reads the first. A path may hold the URL of a destination.
 */
export function rewriteTarget(request: IncomingMessage, host: string | undefined): void {
  const { url: target = "" } = request;
  if (target.startsWith("/")) return;
  const [, scheme, authority, path = ""] = HTTP_URL.exec(target) ?? [];
  if (scheme === undefined || authority === undefined) throw notAPath();
  const named = hostOf(scheme, authority);
  if (named === undefined) throw notAPath();
  if (host !== undefined && hostOf(scheme, host) !== named) {
    throw new Problem("invalid-request", "Host: is not the host of the URL in the request target");
  }
  request.headers.host = named;
  request.url = path.startsWith("/") ? path : `/${path}`;
}

/** In lower case, and without the port of its scheme. */
function hostOf(scheme: string, authority: string): string | undefined {
  return URL.parse(`${scheme}://${authority}`)?.host;
}

export function notAPath(): Problem {
  const sentence = "the request target must be a path, or a URL of http or https without user info";
  return new Problem("invalid-request", sentence);
}

/** Without user info, and with nothing of what ends a host for some readers only. */
const HTTP_URL = /^(https?):\/\/([^/?#@\\]+)([/?].*)?$/i;
