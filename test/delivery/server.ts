/** Destinations for the tests of delivery: well-behaved, and anything but. */
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from "node:net";
import type { TestContext } from "node:test";
import { buffer } from "node:stream/consumers";

export interface Received {
  readonly method: string;
  readonly path: string;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface RunningServer {
  readonly port: number;
  readonly url: string;
  /** Connections accepted so far. */
  connections(): number;
  /** Connections that are open now. */
  open(): number;
}

export interface RecordingServer extends RunningServer {
  readonly received: Received[];
}

/** Answers 200 `ok` to everything, and remembers what came. */
export async function startRecorder(t: TestContext): Promise<RecordingServer> {
  const received: Received[] = [];
  const running = await startHttp(t, async (request, response) => {
    const body = await buffer(request);
    const { method = "", url: path = "", rawHeaders, headers } = request;
    received.push({ method, path, rawHeaders, headers, body });
    response.end("ok");
  });
  return { ...running, received };
}

type Listener = (...parameters: Parameters<RequestListener>) => void | Promise<void>;

export async function startHttp(t: TestContext, listener: Listener): Promise<RunningServer> {
  const server = createHttpServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void listener(request, response);
  });
  server.maxHeadersCount = 0;
  return listen(t, server);
}

/** Whatever one wants to put on the wire; the server reads and forgets what it is sent. */
export async function startRaw(
  t: TestContext,
  onRequest: (socket: Socket, count: number) => void,
): Promise<RunningServer> {
  let count = 0;
  const server = createTcpServer((socket) => {
    socket.on("data", () => onRequest(socket, ++count));
  });
  return listen(t, server);
}

export async function listen(t: TestContext, server: Server): Promise<RunningServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return { port, url, connections: () => connections, open: () => sockets.size };
}
