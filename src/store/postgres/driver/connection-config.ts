import type { ClientConfig } from "pg";

/** How each connection is opened. Other programs find ours by the name. */
export function connectionConfig(url: string): ClientConfig {
  return { connectionString: withStrictTls(url), application_name: "postrider" };
}

/**
 * pg checks the certificate and the host name with each `sslmode` that demands TLS, and announces on
 * stderr that it will not with some of them one day. With `verify-full` it stays, and says nothing.
 */
export function withStrictTls(url: string): string {
  if (/[?&]uselibpqcompat=true(&|$)/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(allow|prefer|require|verify-ca)(?=&|$)/, "$1verify-full");
}
