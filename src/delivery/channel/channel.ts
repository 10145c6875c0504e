import type { HeaderList } from "../../core/model/message/message.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Charge, MemoryBudget } from "../../platform/memory-budget.ts";
import type { ChannelCall } from "./channel-call.ts";
import { CHANNEL_HEADERS, isChannel, readAnswer } from "./channel-protocol.ts";
import type { Cargo, CarryingConnection, OutboundRequest } from "../http/cargo.ts";
import type { Carrier } from "../http/exchange.ts";
import { encodeFrame, FRAME_BYTES_MAX, FrameReader } from "./channel-frames.ts";

/** Why a channel takes no more deliveries. */
export type ChannelEnd =
  /** The endpoint, or a proxy before it, does not support channels. */
  | "refused"
  /** It broke while in use. */
  | "broken"
  /** It was closed; its deliveries are still answered. */
  | "closed";

export interface ChannelGround {
  readonly clock: Clock;
  readonly carrier: Carrier;
  /** The budget of answers. */
  readonly memory: MemoryBudget;
}

/**
 * One request that stays open for a while. Deliveries to one URL are sent in its body, and their
 * answers arrive in the body of its response, in any order. It is used only after a frame has made
 * the round trip, since a proxy may hold a request back until its end.
 */
export class Channel implements Cargo {
  readonly request: OutboundRequest;
  readonly #clock: Clock;
  readonly #carrier: Carrier;
  readonly #onEnd: (end: ChannelEnd) => void;
  readonly #incoming: FrameReader;
  readonly #charge: Charge;
  readonly #calls = new Map<number, ChannelCall>();
  #phase: "opening" | "open" | "closing" | "over" = "opening";
  #connection: CarryingConnection | null = null;
  #cancelTimer: (() => void) | undefined;
  #batch: Buffer[] = [];
  #lastId = PING;
  #closesAt = Infinity;
  #isUsed = true;

  constructor(path: string, ground: ChannelGround, onEnd: (end: ChannelEnd) => void) {
    const { clock, carrier, memory } = ground;
    this.request = { path, method: "POST", headers: CHANNEL_HEADERS, body: "streamed" };
    this.#clock = clock;
    this.#charge = memory.open("", () => this.abort());
    this.#incoming = new FrameReader(FRAME_BYTES_MAX, this.#charge);
    this.#carrier = carrier;
    this.#onEnd = onEnd;
    this.#write(encodeFrame(PING, "", EMPTY));
  }

  /** The number of its deliveries without an answer; null when it takes none. */
  get load(): number | null {
    return this.#phase === "open" ? this.#calls.size : null;
  }

  carry(call: ChannelCall): void {
    const id = (this.#lastId = (this.#lastId % ID_MAX) + 1);
    this.#calls.set(id, call);
    call.onEnd = () => this.#calls.delete(id);
    this.#isUsed = true;
    this.#write(encodeFrame(id, call.head, call.body));
  }

  /** Ends it at once; its deliveries are sent as requests of their own. */
  abort(): void {
    if (this.#phase === "over") return;
    this.#end();
    if (this.#connection === null) this.#carrier.withdraw(this);
    else this.#connection.abort();
  }

  onStart(connection: CarryingConnection): void {
    this.#connection = connection;
    this.#cancelTimer = this.#clock.after(OPENING_MS_MAX, () => this.abort());
    this.#flush();
  }

  onHead(status: number, headers: HeaderList): void {
    if (status >= 200 && !isChannel(status, headers)) this.abort();
  }

  onData(bytes: Buffer): void {
    if (this.#phase === "over") return;
    const frames = this.#incoming.add(bytes);
    if (frames === null) return this.abort();
    for (const { id, head, body } of frames) {
      const answer = id === PING ? null : readAnswer(head, body);
      if (id === PING) this.#opened();
      else if (answer === null) return this.abort();
      else this.#calls.get(id)?.settle(answer);
    }
  }

  onEnd(): void {
    this.#end();
  }

  onFailure(): void {
    this.#end();
  }

  #opened(): void {
    if (this.#phase !== "opening") return;
    this.#phase = "open";
    this.#closesAt = this.#clock.monotonic() + LIFE_MS;
    this.#watch();
  }

  /** It ends after a while, so that no proxy takes it for stuck, and when it is idle. */
  #watch(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#clock.after(LOOK_MS, () => {
      const isIdle = !this.#isUsed && this.#calls.size === 0;
      if (isIdle || this.#clock.monotonic() >= this.#closesAt) return this.#close();
      this.#isUsed = false;
      this.#watch();
    });
  }

  /** Ends the request normally; its deliveries keep their own deadlines. */
  #close(): void {
    this.#flush();
    this.#phase = "closing";
    this.#connection?.end();
    this.#onEnd("closed");
    this.#watchClosing();
  }

  /** An endpoint that owes no answer and does not end its response is cut off. */
  #watchClosing(): void {
    const isEmpty = this.#calls.size === 0;
    this.#cancelTimer?.();
    this.#cancelTimer = this.#clock.after(CLOSING_MS_MAX, () => {
      if (isEmpty && this.#calls.size === 0) this.abort();
      else this.#watchClosing();
    });
  }

  #end(): void {
    const { phase, calls } = { phase: this.#phase, calls: [...this.#calls.values()] };
    if (phase === "over") return;
    this.#phase = "over";
    this.#cancelTimer?.();
    this.#charge.release();
    if (phase === "opening") this.#onEnd("refused");
    else if (phase === "open" || calls.length > 0) this.#onEnd("broken");
    for (const call of calls) call.goAlone();
  }

  /** Frames of one turn of the event loop are sent in one piece. */
  #write(frame: Buffer): void {
    if (this.#batch.push(frame) === 1) process.nextTick(() => this.#flush());
  }

  #flush(): void {
    const batch = this.#batch;
    if (batch.length === 0 || this.#connection === null) return;
    this.#batch = [];
    if (this.#phase === "over" || this.#phase === "closing") return;
    this.#connection.write(batch.length === 1 ? batch[0]! : Buffer.concat(batch));
  }
}

/** The frame that opens a channel and is echoed unchanged. */
const PING = 0;
const ID_MAX = 0x7fff_ffff;
const EMPTY = new Uint8Array(0);
const OPENING_MS_MAX = 2_000;
const LOOK_MS = 1_000;
const CLOSING_MS_MAX = 5_000;
/** Well below the time that servers and proxies give a request to arrive. */
const LIFE_MS = 20_000;
