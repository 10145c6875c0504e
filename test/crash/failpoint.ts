import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** Where a service is to die: right before or right after its n-th state change from now on is committed. */
export interface Failpoint {
  readonly at: number;
  readonly moment: Moment;
}

export type Moment = "before" | "after";
export const MOMENTS: readonly Moment[] = ["before", "after"];

/** Tells a process where to die. It looks before each of its commits, and counts from when it was told. */
export class FailpointFile {
  readonly #path: string;
  #told = 0;

  constructor(path: string) {
    this.#path = path;
    this.tell(null);
  }

  /** What a process needs to be told by this. */
  get environment(): Record<string, string> {
    return { [VARIABLE]: this.#path };
  }

  tell(failpoint: Failpoint | null): void {
    this.#told += 1;
    const text = failpoint && `${this.#told} ${failpoint.at} ${failpoint.moment}`;
    writeFileSync(this.#path, text ?? "");
    rmSync(countedBeside(this.#path), { force: true });
  }

  /** The state changes of the process since it was told, or since its start if that was later. */
  get met(): number {
    const counted = countedBeside(this.#path);
    return existsSync(counted) ? Number(readFileSync(counted, "utf8")) : 0;
  }
}

/** The transactions of this process that write something, in the one thread that commits them. */
export class StateChanges {
  #told = "";
  #count = 0;

  /** One is about to be committed; it is given its number. At its failpoint, the process ends here. */
  before(): number {
    const path = process.env[VARIABLE]!;
    const told = readFileSync(path, "utf8");
    if (told !== this.#told) this.#count = 0;
    this.#told = told;
    this.#count += 1;
    writeFileSync(countedBeside(path), String(this.#count));
    this.#reached(this.#count, "before");
    return this.#count;
  }

  /** The one of that number has been committed; others may be under way. */
  after(number: number): void {
    this.#reached(number, "after");
  }

  #reached(number: number, moment: Moment): void {
    const [, at, when] = this.#told.split(" ");
    if (number === Number(at) && moment === when) process.kill(process.pid, "SIGKILL");
  }
}

const VARIABLE = "CRASH_FAILPOINT";

function countedBeside(path: string): string {
  return `${path}-counted`;
}
