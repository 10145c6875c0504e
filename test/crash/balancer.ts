import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** One address for several nodes: a connection goes to the first of them that takes it. */
export class Balancer {
  readonly #ports: readonly number[];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(ports: readonly number[]) {
    this.#ports = ports;
    this.#server = createServer((client) => {
      this.#keep(client);
      this.#join(client, 0);
    });
  }

  static async start(ports: readonly number[]): Promise<Balancer> {
    const balancer = new Balancer(ports);
    await new Promise<void>((resolve) => {
      balancer.#server.listen(0, "127.0.0.1", resolve);
    });
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ends what is open, so that everybody comes anew, and finds a node that has been started since. */
  shake(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  stop(): void {
    this.#server.close();
    this.shake();
  }

  #join(client: Socket, index: number): void {
    const port = this.#ports[index];
    if (port === undefined) return void client.destroy();
    const node = this.#keep(connect(port, "127.0.0.1"));
    const next = (): void => this.#join(client, index + 1);
    node.once("error", next);
    node.once("connect", () => {
      node.off("error", next);
      client.pipe(node).pipe(client);
      node.on("close", () => client.destroy());
      client.on("close", () => node.destroy());
    });
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    return socket.on("close", () => this.#sockets.delete(socket));
  }
}
