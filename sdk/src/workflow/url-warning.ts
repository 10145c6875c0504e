import type { ServeOptions } from "./options.ts";

/**
 * Says once for each endpoint that other machines reach it and it was given no URL: the host that a
 * delivery was signed for is then compared with one that a caller can choose.
 */
export function warnWithoutUrl(
  options: Pick<ServeOptions<never>, "url" | "trustProxy" | "logger">,
  requestUrl: string,
): void {
  const { url, trustProxy, logger = console } = options;
  if (url !== undefined || trustProxy === true || logger === false) return;
  if (warned.has(options) || isLoopback(requestUrl)) return;
  warned.add(options);
  try {
    logger.error(
      `workflow at ${requestUrl}: serve has no url, so the host of a delivery is compared with ` +
        "the one that the caller names; give the url under which the service reaches it",
    );
  } catch {
    // A logger that throws must not change the answer.
  }
}

function isLoopback(url: string): boolean {
  try {
    const { hostname } = new URL(url);
    return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  } catch {
    return false;
  }
}

/** By their options. */
const warned = new WeakSet<object>();
