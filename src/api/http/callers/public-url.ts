import type { IncomingMessage } from "node:http";

/** The URL under which the caller reached the service: the setting, else the request's. */
export function publicUrlReader(
  publicUrl: string | undefined,
): (request: IncomingMessage) => { readonly proto: string; readonly host: string } {
  if (publicUrl === undefined) {
    return ({ headers }) => ({ proto: "http", host: headers.host ?? "" });
  }
  const { protocol, host } = new URL(publicUrl);
  const known = { proto: protocol.slice(0, -1), host };
  return () => known;
}
