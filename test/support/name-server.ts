/** A name server on this machine: it knows some names, says of others that they do not exist, or nothing. */
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";

/** The addresses of a name; null for silence. */
export type Answers = (name: string) => readonly string[] | null;

export class NameServer {
  answers: Answers;
  /** The names it was asked for, in their order. */
  readonly asked: string[] = [];
  readonly #socket: Socket;

  private constructor(answers: Answers) {
    this.answers = answers;
    this.#socket = createSocket("udp4");
    this.#socket.on("message", (query, { port, address }) => {
      const answer = this.#answer(query);
      if (answer !== null) this.#socket.send(answer, port, address);
    });
  }

  static async start(answers: Answers): Promise<NameServer> {
    const server = new NameServer(answers);
    server.#socket.bind(0, "127.0.0.1");
    await once(server.#socket, "listening");
    return server;
  }

  /** As a resolver wants it. */
  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  close(): void {
    this.#socket.close();
  }

  #answer(query: Buffer): Buffer | null {
    const labels: string[] = [];
    let at = HEAD_BYTES;
    for (let length = query[at]!; length > 0; length = query[at]!) {
      labels.push(query.toString("latin1", at + 1, at + 1 + length));
      at += length + 1;
    }
    const name = labels.join(".").toLowerCase();
    this.asked.push(name);
    const addresses = this.answers(name);
    if (addresses === null) return null;
    const isForFour = query.readUInt16BE(at + 1) === TYPE_A;
    const records = isForFour ? addresses.map(recordOf) : [];
    const head = Buffer.from(query.subarray(0, at + 5));
    // A reply that may recurse; three in the last bits says that there is no such name.
    head.writeUInt16BE(0x8180 | (addresses.length === 0 ? 3 : 0), 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    return Buffer.concat([head, ...records]);
  }
}

/** The name is that of the question, the time to live a second. */
function recordOf(address: string): Buffer {
  return Buffer.from([
    0xc0,
    HEAD_BYTES,
    0,
    1,
    0,
    1,
    0,
    0,
    0,
    1,
    0,
    4,
    ...address.split(".").map(Number),
  ]);
}

const HEAD_BYTES = 12;
const TYPE_A = 1;
