import { statfs } from "node:fs/promises";
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";

export interface DiskSpaceOptions {
  /** A folder on the watched disk. */
  readonly folder: string;
  readonly freeBytesMin: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Knows whether the disk has free space, without a system call for every message. */
export class DiskSpace {
  readonly #options: DiskSpaceOptions;
  #isLow = false;
  #cancel: (() => void) | undefined;
  #stopped = false;

  constructor(options: DiskSpaceOptions) {
    this.#options = options;
  }

  static async watch(options: DiskSpaceOptions): Promise<DiskSpace> {
    const disk = new DiskSpace(options);
    await disk.start();
    return disk;
  }

  get isLow(): boolean {
    return this.#isLow;
  }

  /** Checks once, then repeatedly until it is stopped. */
  async start(): Promise<void> {
    await this.check();
    if (!this.#stopped) {
      this.#cancel = this.#options.clock.after(CHECK_EVERY_MS, () => void this.start());
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  async check(): Promise<void> {
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
      log.warn("the free disk space cannot be read", { error });
    }
  }
}

const CHECK_EVERY_MS = 5_000;
