import { Problem, PROBLEMS } from "../core/problem.ts";
import { endsWithin } from "../platform/ends-within.ts";
import type { Context } from "./context.ts";

/** The hint of a readiness check says what the operator can do, not to ask again. */
class NotReady extends Problem {
  readonly #hint: string;

  constructor(message: string, retryAfterSeconds: number, hint: string) {
    super("overloaded", message, retryAfterSeconds);
    this.#hint = hint;
  }

  override get hint(): string {
    return this.#hint;
  }
}

/** Refuses unless there is disk space, and the store answers and takes writes. */
export async function requireReady(context: Context): Promise<void> {
  const { clock, store } = context;
  if (context.isDiskLow() || store.isDiskFull) {
    const says = "little disk space is left, so that every publish is refused";
    throw new NotReady(says, 30, PROBLEMS["disk-low"].hint);
  }
  if (context.isStandbyMissing()) {
    throw new Problem(
      "overloaded",
      "PostgreSQL names no synchronous standby, so that every publish is refused",
      5,
    );
  }
  const isThere = await endsWithin(clock, STORE_MS_MAX, store.requireWritable()).catch(() => false);
  if (!isThere) {
    const says = "the store does not answer, or takes no writes";
    throw new NotReady(says, 5, "the log of the server says why");
  }
}

const STORE_MS_MAX = 2_000;
