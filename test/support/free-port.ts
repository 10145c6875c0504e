import { createServer } from "node:net";

/** A port of the loopback that nobody uses at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" ? address?.port : undefined;
      server.close(() => (port === undefined ? reject(new Error("no free port")) : resolve(port)));
    });
  });
}
