import type { IncomingMessage } from "node:http";
import { Problem, TracelessError } from "../../../core/problem.ts";
import { Budget, type Charge } from "../../../platform/budget.ts";
import { BODY_CHUNKS, ChunkCount } from "../../../platform/chunk-count.ts";
import type { Clock } from "../../../platform/clock.ts";
import { GrowingBuffer } from "../../../platform/growing-buffer.ts";
import type { UploadWatch, WatchedUpload } from "../limits/upload-watch.ts";

/** The caller has closed the connection, so no response can be sent. */
export class CallerGone extends TracelessError {
  constructor() {
    super("the caller closed the connection");
    this.name = "CallerGone";
  }
}

export interface BodyTools {
  readonly clock: Clock;
  /** Bounds the memory of bodies that are received, and of those that are being stored. */
  readonly bodyBudget: Budget;
  readonly uploads: UploadWatch;
}

/** Beyond the budget one body at a time may use its full allowed size. */
export function createBodyBudget(clock: Clock): Budget {
  return new Budget({
    clock,
    totalMax: 64 * 1024 * 1024,
    reserveBytes: 16 * 1024 * 1024,
    waitingMax: 256,
    waitMsMax: 10_000,
    firstMsMax: 15_000,
    refusal: () => new Problem("overloaded", "too many bodies are being received; try again", 5),
  });
}

/**
 * The body of one request, read at most once. Its memory is charged as it arrives, until it is
 * released.
 */
export class Body {
  readonly #request: IncomingMessage;
  /** Null when the sender did not declare it. */
  readonly #declaredBytes: number | null;
  readonly #tools: BodyTools;
  readonly #onStart: (() => void) | null;
  #owner = "";
  #identifyAgain: (() => unknown) | null = null;
  #charge: Charge | null = null;
  #isStarted = false;
  #isRead = false;

  /** `onStart` is called before the first byte is read; a sender may be waiting for that. */
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

  /**
   * The unread part of the body: it may be arriving, or held back by the sender until the service
   * asks for it.
   */
  get rest(): "none" | "arriving" | "held-back" {
    if (this.#isRead || this.#declaredBytes === 0 || this.#request.complete) return "none";
    return this.#onStart === null || this.#isStarted ? "arriving" : "held-back";
  }

  /**
   * Whose body it is: when memory is short, the owner that holds least goes first. Where the body comes
   * after its head, perhaps much later, the caller must still have access when it has come.
   */
  chargeTo(owner: string, identifyAgain: (() => unknown) | null = null): this {
    this.#owner = owner;
    this.#identifyAgain = identifyAgain;
    return this;
  }

  /** Empty until the caller is known. */
  get owner(): string {
    return this.#owner;
  }

  async read(bytesMax: number): Promise<Uint8Array> {
    if (this.#declaredBytes === 0) return NOTHING;
    if ((this.#declaredBytes ?? 0) > bytesMax) throw bodyTooLarge(bytesMax);
    this.#isStarted = true;
    this.#onStart?.();
    // A request begins when its head is read; the rest of the same packet is read after it.
    await Promise.resolve();
    if (this.#request.destroyed) throw new CallerGone();
    const arrived = this.#arrived();
    const bytes = arrived ?? (await this.#receive(bytesMax));
    this.#isRead = true;
    if (arrived === null) await this.#identifyAgain?.();
    return bytes;
  }

  release(): void {
    this.#charge?.release();
  }

  /** A small body mostly comes in one packet with its headers, and needs no listeners. */
  #arrived(): Uint8Array | null {
    const request = this.#request;
    const bytes = this.#declaredBytes;
    if (bytes === null || request.readableLength !== bytes) return null;
    this.#charge = this.#tools.bodyBudget.open(this.#owner);
    return this.#charge.grow(bytes) ? (request.read() as Buffer | null) : null;
  }

  #receive(bytesMax: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const request = this.#request;
      const { clock, bodyBudget, uploads } = this.#tools;
      const content = new GrowingBuffer(this.#declaredBytes ?? bytesMax);
      content.announce(this.#declaredBytes ?? 0);
      const chunks = new ChunkCount(BODY_CHUNKS);
      const charge = (this.#charge = bodyBudget.open(this.#owner, () => fail(tooSlow())));
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
        chunks.add(chunk.length);
        upload.lastProgressAt = clock.monotonic();
        if (chunks.bytes > bytesMax) return fail(bodyTooLarge(bytesMax));
        if (chunks.areTiny) return fail(tinyChunks());
        const growth = content.growthFor(chunk.length);
        if (growth === 0 || charge.grow(growth)) content.add(chunk);
        else hold(chunk, growth);
      };
      // The network slows the sender down until there is memory.
      const hold = (chunk: Buffer, growth: number): void => {
        request.pause();
        const goOn = (): void => {
          content.add(chunk);
          upload.lastProgressAt = clock.monotonic();
          request.resume();
        };
        charge.wait(growth).then(goOn, (error: unknown) => fail(error as Error));
      };
      const finish = (): void => {
        end();
        resolve(content.take());
      };
      const abandon = (): void => fail(new CallerGone());
      const upload: UploadInProgress = {
        get receivedBytes() {
          return chunks.bytes;
        },
        lastProgressAt: clock.monotonic(),
        // While the service holds it back, the sender is not slow.
        isHeldBack: () => request.isPaused(),
        giveUp: () => fail(tooSlow()),
      };
      uploads.add(upload);
      request.on("data", take).on("end", finish).on("close", abandon);
    });
  }
}

type UploadInProgress = WatchedUpload & { lastProgressAt: number };

export function bodyTooLarge(bytesMax: number): Problem {
  const sentence = `the body is larger than ${bytesMax} bytes`;
  return Problem.about("body", "body-too-large", sentence);
}

function tinyChunks(): Problem {
  const { countFree, meanBytesMin } = BODY_CHUNKS;
  const sentence = `the body comes in more than ${countFree} chunks of less than ${meanBytesMin} bytes on average; send larger chunks`;
  return Problem.about("body", "invalid-request", sentence);
}

function tooSlow(): Problem {
  return Problem.about("body", "request-timeout", "the body arrives too slowly");
}

const NOTHING = new Uint8Array(0);
