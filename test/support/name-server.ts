/** A name server on this machine: it knows some names, says of others that they do not exist, or nothing. */
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIP } from "node:net";

/** The addresses of a name, of both families; null for silence, and the last says that it is broken itself. */
export type Answers = (name: string, family: 4 | 6) => readonly string[] | null | "broken";

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
    const family = query.readUInt16BE(at + 1) === TYPE_A ? 4 : 6;
    const addresses = this.answers(name, family);
    if (addresses === null) return null;
    const known = addresses === "broken" ? [] : addresses;
    const records = known.filter((address) => isIP(address) === family).map(recordOf);
    const head = Buffer.from(query.subarray(0, at + 5));
    // A reply that may recurse; the last bits say that the server is broken, or that there is no such name.
    const failure = addresses === "broken" ? 2 : 3;
    head.writeUInt16BE(0x8180 | (known.length === 0 ? failure : 0), 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    return Buffer.concat([head, ...records]);
  }
}

/** The name is that of the question, the time to live a second. */
function recordOf(address: string): Buffer {
  const isFour = isIP(address) === 4;
  const bytes = isFour ? address.split(".").map(Number) : bytesOfSix(address);
  const type = isFour ? TYPE_A : TYPE_AAAA;
  return Buffer.from([0xc0, HEAD_BYTES, 0, type, 0, 1, 0, 0, 0, 1, 0, bytes.length, ...bytes]);
}

/** Of an address that ends with "::" and a group. */
function bytesOfSix(address: string): number[] {
  const [start = "", end = ""] = address.split("::");
  const groups = start.split(":").map((group) => parseInt(group || "0", 16));
  while (groups.length < 7) groups.push(0);
  return [...groups, parseInt(end, 16)].flatMap((group) => [group >> 8, group & 0xff]);
}

const HEAD_BYTES = 12;
const TYPE_A = 1;
const TYPE_AAAA = 28;
