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
  {
    file: "src/core/policy/limits/json-scan.ts",
    lines: "const bytes = new Uint8Array(256);",
    become: "const bytes = new Uint8Array(257);",
    reason: "the table is asked for the 256 values of a byte alone",
  },
  {
    file: "src/core/policy/limits/json-members.ts",
    lines: 'if (quoted.byteLength > NAME_BYTES_MAX) return "";',
    become: 'if ((quoted.byteLength >= NAME_BYTES_MAX)) return "";',
    reason: "no wanted name is nearly as long, with or without escapes",
  },
  {
    file: "src/core/policy/cron/time-zone.ts",
    lines: "this.#blocks.set(block, stretches);",
    become: ";",
    reason: "the offsets of a time are worked out anew in place of cached",
  },
];
