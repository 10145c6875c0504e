import type { Clock } from "../../../platform/clock.ts";

/** A body that is being received. */
export interface WatchedUpload {
  readonly receivedBytes: number;
  readonly lastProgressAt: number;
  /** The service does not read it now: it waits for memory. */
  isHeldBack(): boolean;
  /** Called when the upload has stalled or is too slow. */
  giveUp(): void;
}

/** Ends uploads that stall or trickle. One that is merely slow may take as long as it needs. */
export class UploadWatch {
  readonly #clock: Clock;
  readonly #windows = new Map<WatchedUpload, Window>();
  #cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(): void {
    this.#cancel = this.#clock.after(CHECK_EVERY_MS, () => {
      this.check();
      this.start();
    });
  }

  stop(): void {
    this.#cancel?.();
  }

  add(upload: WatchedUpload): void {
    this.#windows.set(upload, this.#windowFor(upload));
  }

  remove(upload: WatchedUpload): void {
    this.#windows.delete(upload);
  }

  check(): void {
    for (const [upload, window] of this.#windows) {
      if (upload.isHeldBack()) this.add(upload);
      else this.#judge(upload, window);
    }
  }

  /** Judged by its last minute alone: a fast beginning does not excuse a trickle. */
  #judge(upload: WatchedUpload, { startedAt, bytesBefore }: Window): void {
    const now = this.#clock.monotonic();
    const elapsedMs = now - startedAt;
    const expectedBytes = (elapsedMs / 1_000) * BYTES_PER_SECOND_MIN;
    const isIdle = now - Math.max(startedAt, upload.lastProgressAt) > IDLE_MS_MAX;
    if (isIdle) upload.giveUp();
    else if (elapsedMs < WINDOW_MS) return;
    else if (upload.receivedBytes - bytesBefore < expectedBytes) upload.giveUp();
    else this.add(upload);
  }

  #windowFor({ receivedBytes }: WatchedUpload): Window {
    return { startedAt: this.#clock.monotonic(), bytesBefore: receivedBytes };
  }
}

/** The window by which an upload is judged. */
interface Window {
  readonly startedAt: number;
  readonly bytesBefore: number;
}

const CHECK_EVERY_MS = 5_000;
const IDLE_MS_MAX = 30_000;
const WINDOW_MS = 60_000;
const BYTES_PER_SECOND_MIN = 8 * 1024;
