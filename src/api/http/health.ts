import { Problem } from "../../core/problem.ts";
import { choice, flag, object } from "../../wire/json/schema.ts";
import { type Answer, json } from "./answer.ts";
import type { Api } from "./call.ts";

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
    throw new Problem(
      "overloaded",
      "little disk space is left, so that every publish is refused",
      30,
    );
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
  if (!isThere) throw new Problem("overloaded", "the store does not answer, or takes no writes", 5);
  return json(200, { status: "ready", ready: true });
}

export const HEALTH = object("Health", { status: choice(["ok"]) });
export const READINESS = object("Readiness", {
  status: choice(["ready"]),
  ready: flag("Always true.", true),
});

const STORE_MS_MAX = 2_000;
