import { readFileSync, writeFileSync } from "node:fs";

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
  }
}

/** The transactions of this process that write something, in the one thread that commits them. */
export class StateChanges {
  #told = "";
  #count = 0;

  /** One is about to be committed, or has been; at its failpoint, the process ends here. */
  reached(moment: Moment): void {
    if (moment === "before") this.#look();
    const [, at, when] = this.#told.split(" ");
    if (this.#count === Number(at) && moment === when) process.kill(process.pid, "SIGKILL");
  }

  #look(): void {
    const told = readFileSync(process.env[VARIABLE]!, "utf8");
    if (told !== this.#told) this.#count = 0;
    this.#told = told;
    this.#count += 1;
  }
}

const VARIABLE = "CRASH_FAILPOINT";
