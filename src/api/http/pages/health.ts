import { Problem, PROBLEMS } from "../../../core/problem.ts";
import { choice, flag, object } from "../../../wire/json/schema.ts";
import { type Answer, json } from "../answers/answer.ts";
import type { Api } from "../server/call.ts";

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

/** Answers while the process runs, without further checks. */
export function showHealth(): Answer {
  return json(200, { status: "ok" });
}

/** The service accepts work: there is disk space, and its store answers and takes writes. */
export async function showReadiness({ clock, context, phase }: Api): Promise<Answer> {
  if (phase() !== "ready") {
    throw new Problem("overloaded", "the service is starting or stopping", 1);
  }
  if (context.isDiskLow() || context.store.isDiskFull) {
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
  const patience = new AbortController();
  const tooLate = clock.sleep(STORE_MS_MAX, patience.signal).then(() => false);
  const answered = context.store.requireWritable().then(
    () => true,
    () => false,
  );
  const isThere = await Promise.race([answered, tooLate]);
  patience.abort();
  if (!isThere) {
    const says = "the store does not answer, or takes no writes";
    throw new NotReady(says, 5, "the log of the server says why");
  }
  return json(200, { status: "ready", ready: true });
}

export const HEALTH = object("Health", { status: choice(["ok"]) });
export const READINESS = object("Readiness", {
  status: choice(["ready"]),
  ready: flag("Always true.", true),
});

const STORE_MS_MAX = 2_000;
