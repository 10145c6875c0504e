/** A small HTTP proxy that knows CONNECT, and whatever else it is told to do instead. */
import { createServer } from "node:http";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";

export type Reaction = "connect" | "refuse" | "silent" | "hang up" | "babble";

export class ConnectProxy {
  /** What was asked for, and with which credentials. */
  readonly asked: { readonly authority: string; readonly authorization: string | undefined }[] = [];
  /** Requests that were no CONNECT. */
  readonly others: string[] = [];
  reaction: Reaction = "connect";
  /** Ports on this machine that stand for hosts and ports elsewhere. */
  readonly ports = new Map<string, number>();
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(make: (onRequest: () => void) => Server) {
    this.#server = make(() => this.others.push("request"));
    this.#server.on("connection", (socket: Socket) => this.#keep(socket));
    this.#server.on("connect", (request: ConnectRequest, socket: Socket) => {
      const { url: authority = "", headers } = request;
      this.asked.push({ authority, authorization: headers["proxy-authorization"] });
      this.#react(authority, socket);
    });
  }

  static async start(
    make: (onRequest: () => void) => Server = (onRequest) => createServer(onRequest),
  ): Promise<ConnectProxy> {
    const proxy = new ConnectProxy(make);
    await new Promise<void>((resolve) => {
      proxy.#server.listen(0, "127.0.0.1", resolve);
    });
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #react(authority: string, socket: Socket): void {
    if (this.reaction === "refuse") socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    if (this.reaction === "babble") socket.end("SSH-2.0-x\r\n\r\n");
    if (this.reaction === "hang up") socket.destroy();
    if (this.reaction === "connect") this.#tunnel(authority, socket);
  }

  /** Every name leads to this machine. */
  #tunnel(authority: string, socket: Socket): void {
    const port =
      this.ports.get(authority) ?? Number(authority.slice(authority.lastIndexOf(":") + 1));
    const onward = connect({ host: "127.0.0.1", port });
    this.#keep(onward);
    onward.once("connect", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    onward.once("error", () => socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
    onward.once("close", () => socket.destroy());
    socket.once("close", () => onward.destroy());
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => this.#sockets.delete(socket));
  }
}

interface ConnectRequest {
  readonly url?: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}
