import { statfs } from "node:fs/promises";
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";

export interface DiskSpaceOptions {
  /** A folder on the disk that is watched. */
  readonly folder: string;
  readonly freeBytesMin: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Knows whether the disk has room left, without asking it for every message. */
export class DiskSpace {
  readonly #options: DiskSpaceOptions;
  #isLow = false;
  #cancel: (() => void) | undefined;
  #stopped = false;

  constructor(options: DiskSpaceOptions) {
    this.#options = options;
  }

  get isLow(): boolean {
    return this.#isLow;
  }

  /** Looks once, then again and again until it is stopped. */
  async start(): Promise<void> {
    await this.look();
    if (!this.#stopped) {
      this.#cancel = this.#options.clock.after(LOOK_EVERY_MS, () => void this.start());
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  async look(): Promise<void> {
    const { folder, freeBytesMin, log } = this.#options;
    try {
      const { bavail, bsize } = await statfs(folder);
      const isLow = bavail * bsize < freeBytesMin;
      if (isLow !== this.#isLow) {
        log.warn(isLow ? "disk low, publishing is refused" : "disk has room again", {
          freeBytes: bavail * bsize,
          freeBytesMin,
        });
      }
      this.#isLow = isLow;
    } catch (error) {
      log.warn("free disk space is not known", { error });
    }
  }
}

const LOOK_EVERY_MS = 5_000;
