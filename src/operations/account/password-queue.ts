import { Problem } from "../../core/problem.ts";

interface Waiting {
  readonly check: () => Promise<boolean>;
  readonly resolve: (isRight: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Checks passwords one at a time, since each check takes a thread. Trusted callers go first and
 * have slots of their own, so that others cannot take them all.
 */
export class PasswordQueue {
  readonly #trusted: Waiting[] = [];
  readonly #others: Waiting[] = [];
  #isChecking = false;

  run(check: () => Promise<boolean>, isTrusted: boolean): Promise<boolean> {
    const lane = isTrusted ? this.#trusted : this.#others;
    if (lane.length >= WAITING_MAX) {
      throw new Problem("too-many-requests", "too many sign in at once; try again", 1);
    }
    return new Promise((resolve, reject) => {
      lane.push({ check, resolve, reject });
      if (!this.#isChecking) void this.#checkAll();
    });
  }

  async #checkAll(): Promise<void> {
    this.#isChecking = true;
    for (;;) {
      const next = this.#trusted.shift() ?? this.#others.shift();
      if (next === undefined) break;
      try {
        next.resolve(await next.check());
      } catch (error) {
        next.reject(error);
      }
    }
    this.#isChecking = false;
  }
}

/** Of each kind. */
const WAITING_MAX = 16;
