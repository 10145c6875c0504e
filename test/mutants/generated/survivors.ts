import type { Survivor } from "./survivor.ts";

/** Generated defects that were looked at and are right to survive. Any other fails `npm run mutants -- --generated`. */
export const SURVIVORS: readonly Survivor[] = [
  {
    file: "src/api/http/answers/answer.ts",
    lines: "if (length > LENGTHS_KEPT_MAX) return baseHeaders(length);",
    become: "if ((length >= LENGTHS_KEPT_MAX)) return baseHeaders(length);",
    reason: "the same headers, made anew in place of cached",
  },
  {
    file: "src/api/http/answers/answer.ts",
    lines: "const LENGTHS_KEPT_MAX = 256;",
    become: "const LENGTHS_KEPT_MAX = 257;",
    reason: "headers of one more length are cached",
  },
  {
    file: "src/delivery/http/origin-pool.ts",
    lines: "if (this.#leftOver > 0 && this.#room?.isWanted === true) this.giveUpSpare();",
    become: "if ((this.#leftOver >= 0) && this.#room?.isWanted === true) this.giveUpSpare();",
    reason: "a pool in which a request waited has no idle connection to give up either",
  },
  {
    file: "src/delivery/http/origin-pool.ts",
    lines: "const SWEEP_MS = 500;",
    become: "const SWEEP_MS = 501;",
    reason:
      "an idle connection is closed a millisecond later, well before its destination closes it",
  },
];
