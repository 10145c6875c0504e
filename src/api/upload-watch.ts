import type { Clock } from "../platform/clock.ts";

/** A body that is being received. */
export interface WatchedUpload {
  readonly startedAt: number;
  readonly receivedBytes: number;
  readonly lastProgressAt: number;
  /** It has come to a halt, or only pretends to move. */
  giveUp(): void;
}

/** Ends uploads that stand still or drip. One that is merely slow may take as long as it needs. */
export class UploadWatch {
  readonly #clock: Clock;
  readonly #uploads = new Set<WatchedUpload>();
  #cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(): void {
    this.#cancel = this.#clock.after(LOOK_EVERY_MS, () => {
      this.look();
      this.start();
    });
  }

  stop(): void {
    this.#cancel?.();
  }

  add(upload: WatchedUpload): void {
    this.#uploads.add(upload);
  }

  remove(upload: WatchedUpload): void {
    this.#uploads.delete(upload);
  }

  look(): void {
    const now = this.#clock.monotonic();
    for (const upload of this.#uploads) {
      const elapsedMs = now - upload.startedAt;
      const expectedBytes = ((elapsedMs - GRACE_MS) / 1_000) * BYTES_PER_SECOND_MIN;
      const isIdle = now - upload.lastProgressAt > IDLE_MS_MAX;
      if (isIdle || upload.receivedBytes < expectedBytes) upload.giveUp();
    }
  }
}

const LOOK_EVERY_MS = 5_000;
const IDLE_MS_MAX = 30_000;
const GRACE_MS = 60_000;
const BYTES_PER_SECOND_MIN = 8 * 1024;
