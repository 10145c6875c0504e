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
    file: "src/core/rules/message/callback-payload.ts",
    lines: "return (quote - first) % 2 === 1;",
    become: "return ((quote + first)) % 2 === 1;",
    reason: "the sum of two numbers is odd where their difference is",
  },
  {
    file: "src/wire/filters/filter-rows.ts",
    lines: 'alias("source", "source", ["deadRuns"], "ignored"),',
    become: 'alias("source", "", ["deadRuns"], "ignored"),',
    reason: "the field of a parameter that is ignored has no values",
  },
  {
    file: "src/core/policy/cron/cron.ts",
    lines: "from = until - from > SHIFT_MS_MAX ? Math.max(until, at - SHIFT_MS_MAX) : until;",
    become: "from = false ? Math.max(until, at - SHIFT_MS_MAX) : until;",
    reason:
      "a stretch that cannot hold the next minute is read in place of skipped; the instants are the same",
  },
  {
    file: "src/core/policy/cron/cron.ts",
    lines: "if (wall - next.offsetMs < next.from) {",
    become: "if ((wall - next.offsetMs <= next.from)) {",
    reason:
      "a wall clock that shows the minute at the very change gets the instant of the change in both branches",
  },
  {
    file: "src/core/policy/cron/cron.ts",
    lines: "for (let searched = 0; searched < MONTHS_SEARCHED; searched++) {",
    become: "for (let searched = 1; searched < MONTHS_SEARCHED; searched++) {",
    reason: "the longest wait is eight years, and nine are searched",
  },
  {
    file: "src/core/policy/cron/time-zone.ts",
    lines: "const key = name.toLowerCase();",
    become: "const key = name;",
    reason: "a zone that is written in two letter cases is read twice in place of once",
  },
  {
    file: "src/core/policy/cron/time-zone.ts",
    lines: "this.#blocks.set(block, stretches);",
    become: ";",
    reason: "the offsets of a time are worked out anew in place of cached",
  },
];
