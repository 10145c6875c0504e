/** A way to a PostgreSQL that counts how often a client waits for an answer. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface CountingProxy {
  readonly url: string;
  /** Packets with statements that followed an answer; no client waits for a ROLLBACK. */
  readonly roundTrips: number;
  close(): Promise<void>;
}

export async function startCountingProxy(url: string): Promise<CountingProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let roundTrips = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let isAnswered = true;
    client.on("data", (bytes) => {
      if (isAnswered && isStatement(bytes)) roundTrips += 1;
      isAnswered = false;
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      isAnswered = true;
      client.write(bytes);
    });
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay(true));
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = new URL(url);
  own.hostname = "127.0.0.1";
  own.port = String((server.address() as AddressInfo).port);
  return {
    url: own.href,
    get roundTrips() {
      return roundTrips;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Query, Parse or Bind, in contrast to the handshake. */
function isStatement(bytes: Buffer): boolean {
  return "QPB".includes(String.fromCharCode(bytes[0]!)) && !bytes.includes("ROLLBACK");
}
