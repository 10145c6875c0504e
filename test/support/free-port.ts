import { createServer } from "node:net";

/** A free port of the loopback. */
export function freePort(): Promise<number> {
  return listenOnce(0);
}

/**
 * A port to which a server that has died can come back: none of those that outgoing connections are given, since one
 * of them could have it meanwhile.
 */
export async function steadyPort(): Promise<number> {
  for (;;) {
    const port = STEADY_FROM + Math.floor(Math.random() * STEADY_COUNT);
    const free = await listenOnce(port).catch(() => null);
    if (free !== null) return free;
  }
}

const STEADY_FROM = 20_000;
const STEADY_COUNT = 12_000;

function listenOnce(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(wanted, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" ? address?.port : undefined;
      server.close(() => (port === undefined ? reject(new Error("no free port")) : resolve(port)));
    });
  });
}
