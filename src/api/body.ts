import type { IncomingMessage } from "node:http";
import { Problem } from "../core/problem.ts";
import type { Clock } from "../platform/clock.ts";
import type { MemoryGate, Ticket } from "./memory-gate.ts";
import type { UploadWatch, WatchedUpload } from "./upload-watch.ts";

/** The caller has gone: there is nobody to answer. */
export class CallerGone extends Error {
  constructor() {
    super("the caller closed the connection");
    this.name = "CallerGone";
  }
}

export interface BodyTools {
  readonly clock: Clock;
  readonly gate: MemoryGate;
  readonly uploads: UploadWatch;
}

/** The body of one request, read at most once. Its memory is reserved until it is released. */
export class Body {
  readonly #request: IncomingMessage;
  /** Null when the sender did not say. */
  readonly #declaredBytes: number | null;
  readonly #tools: BodyTools;
  readonly #onStart: (() => void) | null;
  #reservedBytes = 0;
  #ticket: Ticket | null = null;
  #isStarted = false;
  #isRead = false;

  /** `onStart` is called before the first byte is wanted; a sender may be waiting for that. */
  constructor(
    request: IncomingMessage,
    declaredBytes: number | null,
    tools: BodyTools,
    onStart: (() => void) | null,
  ) {
    this.#request = request;
    this.#declaredBytes = declaredBytes;
    this.#tools = tools;
    this.#onStart = onStart;
  }

  /** What of it nobody has taken: it may be arriving, or held back until we ask for it. */
  get rest(): "none" | "arriving" | "held-back" {
    if (this.#isRead || this.#declaredBytes === 0 || this.#request.complete) return "none";
    return this.#onStart === null || this.#isStarted ? "arriving" : "held-back";
  }

  async read(bytesMax: number): Promise<Uint8Array> {
    if (this.#declaredBytes === 0) return NOTHING;
    if ((this.#declaredBytes ?? 0) > bytesMax) throw tooLarge(bytesMax);
    await this.#reserve(this.#declaredBytes ?? Math.min(bytesMax, UNDECLARED_BYTES));
    if (this.#request.destroyed) throw new CallerGone();
    this.#isStarted = true;
    this.#onStart?.();
    const bytes = this.#arrived() ?? (await this.#receive(bytesMax));
    this.#isRead = true;
    return bytes;
  }

  release(): void {
    this.#ticket?.cancel();
    if (this.#reservedBytes === 0) return;
    this.#tools.gate.release(this.#reservedBytes);
    this.#reservedBytes = 0;
  }

  async #reserve(bytes: number): Promise<void> {
    const { gate } = this.#tools;
    if (!gate.enter(bytes)) {
      const ticket = gate.wait(bytes);
      this.#ticket = ticket;
      this.#request.once("close", ticket.cancel);
      await ticket.admitted;
      this.#request.off("close", ticket.cancel);
      this.#ticket = null;
    }
    this.#reservedBytes += bytes;
  }

  /** A small body mostly comes in one packet with its headers, and needs no listeners. */
  #arrived(): Uint8Array | null {
    const request = this.#request;
    if (this.#declaredBytes === null || request.readableLength !== this.#declaredBytes) return null;
    return request.read() as Buffer | null;
  }

  #receive(bytesMax: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const request = this.#request;
      const { clock, uploads } = this.#tools;
      const startedAt = clock.monotonic();
      const content = new Content(this.#declaredBytes);
      const end = (): void => {
        uploads.remove(upload);
        request.off("data", take).off("end", finish).off("close", abandon);
      };
      const fail = (error: Error): void => {
        end();
        request.pause();
        reject(error);
      };
      const take = (chunk: Buffer): void => {
        content.add(chunk);
        upload.receivedBytes = content.size;
        upload.lastProgressAt = clock.monotonic();
        if (content.size > bytesMax) fail(tooLarge(bytesMax));
        else if (content.size > this.#reservedBytes) this.#grow(bytesMax, fail);
      };
      const finish = (): void => {
        end();
        resolve(content.bytes());
      };
      const abandon = (): void => fail(new CallerGone());
      const upload: WatchedUpload & { receivedBytes: number; lastProgressAt: number } = {
        startedAt,
        receivedBytes: 0,
        lastProgressAt: startedAt,
        // While it is us who hold it back, the sender is not to blame.
        giveUp: () => request.isPaused() || fail(tooSlow()),
      };
      uploads.add(upload);
      request.on("data", take).on("end", finish).on("close", abandon);
    });
  }

  /**
   * A body of unknown size has outgrown what was set aside. It gets all it may become at once:
   * waiting for a little more again and again could leave many half-read ones waiting for ever.
   */
  #grow(bytesMax: number, fail: (error: Error) => void): void {
    const request = this.#request.pause();
    this.#reserve(bytesMax - this.#reservedBytes).then(
      () => request.resume(),
      (error: unknown) => fail(error as Error),
    );
  }
}

/** Gathers chunks; with a known size they are put in place as they come. */
class Content {
  readonly #declaredBytes: number | null;
  readonly #chunks: Buffer[] = [];
  #whole: Buffer | null = null;
  size = 0;

  constructor(declaredBytes: number | null) {
    this.#declaredBytes = declaredBytes;
  }

  add(chunk: Buffer): void {
    if (this.#declaredBytes === null || chunk.length === this.#declaredBytes) {
      this.#chunks.push(chunk);
    } else {
      this.#whole ??= Buffer.allocUnsafeSlow(this.#declaredBytes);
      chunk.copy(this.#whole, this.size);
    }
    this.size += chunk.length;
  }

  bytes(): Uint8Array {
    if (this.#whole !== null) return this.#whole;
    return this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
  }
}

function tooLarge(bytesMax: number): Problem {
  return new Problem("body-too-large", `the body is larger than ${bytesMax} bytes`);
}

function tooSlow(): Problem {
  return new Problem("request-timeout", "the body arrives too slowly");
}

const NOTHING = new Uint8Array(0);
/** Set aside for a body that does not say how large it is. */
const UNDECLARED_BYTES = 256 * 1024;
