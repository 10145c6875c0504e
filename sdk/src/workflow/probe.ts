import type { Steps } from "./replay.ts";

/** Whether the function accepts a request: it does when it reaches its first step. */
export type Verdict =
  | { readonly kind: "passed" }
  | { readonly kind: "refused" }
  | { readonly kind: "failed"; readonly error: unknown };

/** Runs the function up to its first step, without doing the step. */
export function probe(workflow: (steps: Steps) => unknown): Promise<Verdict> {
  return new Promise((resolve) => {
    const passed = (): Promise<never> => {
      resolve({ kind: "passed" });
      return new Promise<never>(() => {});
    };
    const steps: Steps = { isReplaying: true, call: passed, cancel: passed };
    const run = async (): Promise<void> => {
      try {
        await workflow(steps);
        resolve({ kind: "refused" });
      } catch (error) {
        resolve({ kind: "failed", error });
      }
    };
    void run();
  });
}
