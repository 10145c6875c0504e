/** A small pooler in transaction mode: after each transaction a session goes to the next client. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

import { protocolMessages } from "./protocol-messages.ts";

export interface Pooler {
  readonly url: string;
  /** Names under which clients have prepared statements. */
  readonly prepared: ReadonlySet<string>;
  /** Transactions that were run in another session than the one before of the same client. */
  readonly moved: number;
  close(): Promise<void>;
}

/** A session with the server, lent to one client at a time. */
interface Session {
  readonly socket: Socket;
  borrower: Borrower | null;
}

interface Borrower {
  readonly socket: Socket;
  session: Session | null;
  last: Session | null;
  /** Asked for and not yet answered: each ends with a message of its own. */
  open: number;
  waiting: Buffer[];
}

/** With `isThere` false it only looks on: each client keeps its session, and is told whose it is. */
export async function startPooler(url: string, isThere: boolean): Promise<Pooler> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const lending = new Lending(isThere);
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    lending.join(client, upstream);
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay(true));
      socket.on("error", () => undefined);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = new URL(url);
  own.hostname = "127.0.0.1";
  own.port = String((server.address() as AddressInfo).port);
  return {
    url: own.href,
    prepared: lending.prepared,
    get moved() {
      return lending.moved;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

class Lending {
  readonly prepared = new Set<string>();
  moved = 0;
  readonly #isThere: boolean;
  readonly #idle: Session[] = [];
  readonly #queue: Borrower[] = [];

  constructor(isThere: boolean) {
    this.#isThere = isThere;
  }

  /** A client logs in to a session of its own, which any client may use from then on. */
  join(client: Socket, upstream: Socket): void {
    const session: Session = { socket: upstream, borrower: null };
    const borrower: Borrower = { socket: client, session, last: session, open: 1, waiting: [] };
    session.borrower = borrower;
    client.on(
      "data",
      protocolMessages(true, (type, bytes) => this.#asked(borrower, type, bytes)),
    );
    upstream.on(
      "data",
      protocolMessages(false, (type, bytes) => this.#answered(session, type, bytes)),
    );
  }

  #asked(borrower: Borrower, type: string, bytes: Buffer): void {
    if (type === "X") return;
    if (type === "P") this.#noteName(bytes);
    if (type === "Q" || type === "S") borrower.open += 1;
    if (borrower.session !== null) borrower.session.socket.write(bytes);
    else {
      borrower.waiting.push(bytes);
      if (!this.#queue.includes(borrower)) this.#queue.push(borrower);
      this.#lend();
    }
  }

  #answered(session: Session, type: string, bytes: Buffer): void {
    const { borrower } = session;
    if (borrower === null) return;
    const isKey = type === "K" && this.#isThere;
    borrower.socket.write(isKey ? withOwnProcessId(bytes) : bytes);
    if (type !== "Z") return;
    borrower.open -= 1;
    const isOver = bytes[5] === "I".charCodeAt(0) && borrower.open === 0;
    if (!isOver || !this.#isThere) return;
    session.borrower = null;
    borrower.session = null;
    this.#idle.push(session);
    this.#lend();
  }

  /** The session that has rested longest is lent next. */
  #lend(): void {
    while (this.#queue.length > 0 && this.#idle.length > 0) {
      const borrower = this.#queue.shift()!;
      const session = this.#idle.shift()!;
      if (borrower.last !== session) this.moved += 1;
      borrower.session = borrower.last = session;
      session.borrower = borrower;
      for (const bytes of borrower.waiting.splice(0)) session.socket.write(bytes);
    }
  }

  #noteName(parse: Buffer): void {
    const name = parse.subarray(5, parse.indexOf(0, 5)).toString();
    if (name !== "") this.prepared.add(name);
  }
}

function withOwnProcessId(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeInt32BE(OWN_PROCESS_ID, 5);
  return copy;
}

/** Beyond what the system gives to processes. */
const OWN_PROCESS_ID = 0x7fff_0001;
