/** A way to a PostgreSQL that breaks or stops where a test says, between any two statements. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

import { Asked } from "./asked.ts";
import { protocolMessages } from "./protocol-messages.ts";

export interface Cut {
  /** Which statement of a transaction, 1 for its BEGIN. */
  readonly statement: number;
  /** Whether the server has carried it out when the connection breaks. */
  readonly when: "before" | "after";
  /** How many transactions are cut before the way is safe again. */
  readonly times: number;
}

export interface CuttingProxy {
  readonly url: string;
  /** Answers the most connections begun from now on that have been open at the same time. */
  countOpen(): () => number;
  /** Breaks connections from now on. Answers how often it has, and makes the way safe again. */
  arm(cut: Cut): () => number;
  /** Stops the next COMMIT on its way to the server, until it is let go. */
  holdCommit(): Held;
  /** The same with the so manieth statement of the next transaction that has as many. */
  holdStatement(count: number): Held;
  /** From now on nothing is heard from the server any more, on any connection, and nothing breaks. */
  freeze(): void;
  /** New connections are answered again. Those that missed something stay silent. */
  thaw(): void;
  /** Nothing is heard any more on the connections that exist. New ones are answered. */
  swallow(): void;
  /** Breaks every connection and takes no more. */
  shut(): void;
  /** Takes connections again, at the same address. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

export interface Held {
  readonly reached: Promise<void>;
  letGo(): void;
}

export async function startCuttingProxy(url: string): Promise<CuttingProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const state: State = { cut: null, done: 0, hold: null, isFrozen: false, mutedBefore: 0 };
  let connections = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    join(client, upstream, state, ++connections);
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay(true));
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  let closed = once(server, "close");
  function shut(): void {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
  const { port } = server.address() as AddressInfo;
  const own = new URL(url);
  own.hostname = "127.0.0.1";
  own.port = String(port);
  return {
    url: own.href,
    countOpen: () => countOpen(server),
    arm(cut) {
      state.cut = cut;
      state.done = 0;
      return () => {
        state.cut = null;
        return state.done;
      };
    },
    holdCommit: () => hold(state, ({ isCommit }) => isCommit),
    holdStatement: (count) => hold(state, (asked) => asked.count === count),
    freeze() {
      state.isFrozen = true;
    },
    thaw() {
      state.isFrozen = false;
      state.mutedBefore = connections;
    },
    swallow: () => void (state.mutedBefore = connections),
    shut,
    async reopen() {
      await closed;
      closed = once(server, "close");
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
    async close() {
      shut();
      await closed;
    },
  };
}

function countOpen(server: Server): () => number {
  const open = new Set<Socket>();
  let most = 0;
  const count = (client: Socket): void => {
    open.add(client);
    most = Math.max(most, open.size);
    client.on("close", () => open.delete(client));
  };
  server.on("connection", count);
  return () => {
    server.off("connection", count);
    return most;
  };
}

interface State {
  cut: Cut | null;
  done: number;
  hold: Hold | null;
  isFrozen: boolean;
  /** Connections up to this one hear nothing from the server any more. */
  mutedBefore: number;
}

interface Hold {
  readonly isTime: (asked: Asked) => boolean;
  readonly reach: () => void;
  readonly gone: Promise<void>;
}

function hold(state: State, isTime: Hold["isTime"]): Held {
  const reached = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  state.hold = { isTime, reach: reached.resolve, gone: gone.promise };
  return { reached: reached.promise, letGo: gone.resolve };
}

function join(client: Socket, upstream: Socket, state: State, number: number): void {
  const asked = new Asked();
  function isTime(count: number, when: Cut["when"]): boolean {
    const { cut, done } = state;
    if (cut === null || done >= cut.times || cut.when !== when) return false;
    return cut.statement === count;
  }
  function breakOff(): void {
    state.done += 1;
    client.destroy();
    upstream.destroy();
  }
  function stop({ reach, gone }: Hold): void {
    state.hold = null;
    upstream.cork();
    reach();
    void gone.then(() => upstream.uncork());
  }
  const fromClient = protocolMessages(true, (type, bytes) => {
    const isStatement = asked.hear(type, bytes);
    if (isStatement && isTime(asked.count, "before")) return breakOff();
    if (isStatement && state.hold?.isTime(asked)) stop(state.hold);
    upstream.write(bytes);
  });
  const fromServer = protocolMessages(false, (type, bytes) => {
    if (state.isFrozen || number <= state.mutedBefore) return;
    if (asked.answer(type) && isTime(asked.answered, "after")) return breakOff();
    client.write(bytes);
  });
  client.on("data", fromClient);
  upstream.on("data", fromServer);
  client.on("close", () => upstream.destroy());
  upstream.on("close", () => client.destroy());
}
