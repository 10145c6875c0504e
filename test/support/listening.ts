import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import type { Scope } from "./scope.ts";

/** Lets a server listen on a free port until the test is over, and answers the port. */
export async function listenFor(
  scope: Scope,
  server: Server & { closeAllConnections?: () => void },
): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  scope.after(() => {
    server.closeAllConnections?.();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
