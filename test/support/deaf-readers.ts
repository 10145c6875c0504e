/** Callers that ask for something and never read what is answered. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export class DeafReaders {
  readonly #url: string;
  readonly #token: string;
  readonly #sockets: Socket[] = [];

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** Sends so many requests, each on a connection of its own. */
  async ask(path: string, count: number): Promise<void> {
    const { hostname, port } = new URL(this.#url);
    const asked = Array.from({ length: count }, async () => {
      const socket = connect(Number(port), hostname);
      this.#sockets.push(socket);
      socket.on("error", () => undefined);
      await once(socket, "connect");
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${this.#token}\r\n\r\n`,
      );
    });
    await Promise.all(asked);
  }

  /** The beginnings of the answers that have come: as much of each as was taken off the network. */
  heads(): string[] {
    return this.#sockets.map((socket) => {
      const chunk = socket.read() as Buffer | null;
      if (chunk !== null) socket.unshift(chunk);
      return chunk === null ? "" : chunk.toString("latin1").split("\r\n", 1)[0]!;
    });
  }

  close(): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy();
  }
}
