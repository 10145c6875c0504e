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
    file: "src/delivery/http/answer-head.ts",
    lines: "while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;",
    become: "while ((to >= from) && isBlank(text.charCodeAt(to - 1))) to -= 1;",
    reason: "of a value of blanks alone the end comes before the start, and the slice is as empty",
  },
  {
    file: "src/delivery/http/tunnel.ts",
    lines: "const timeoutMs = Math.max(0, giveUpAt - clock.monotonic());",
    become: "const timeoutMs = Math.max(1, giveUpAt - clock.monotonic());",
    reason: "a timer of none and of one millisecond ring in the same turn",
  },
  {
    file: "src/delivery/guard/name-lookup.ts",
    lines: 'return linesOf(hosts).flatMap(([address = "", ...names]) => {',
    become: 'return linesOf(hosts).flatMap(([address = "changed", ...names]) => {',
    reason: "every line has a first word, if only an empty one",
  },
  {
    file: "src/api/http/answers/answer.ts",
    lines: "const ITEMS_A_TURN = 100;",
    become: "const ITEMS_A_TURN = 101;",
    reason: "a turn writes one item more, which is a hundredth of its time",
  },
  {
    file: "src/api/http/limits/unread-answers.ts",
    lines: "this.#release = null;",
    become: ";",
    reason: "nothing is held for an answer that was released, and a second release does nothing",
  },
  {
    file: "src/delivery/http/answer-head.ts",
    lines: "if (colon === -1 || colon >= end) throw new DeliveryError(NOT_HTTP);",
    become: "if (colon === -1 || (colon > end)) throw new DeliveryError(NOT_HTTP);",
    reason: "at the end of a line is a line end or nothing, and no colon",
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
  {
    file: "src/core/policy/cron/time-zone.ts",
    lines: "known.set(key, zone);",
    become: ";",
    reason: "a zone is made anew in place of cached",
  },
  {
    file: "src/core/policy/limits/json-scan.ts",
    lines: "for (const near = at + NEAR_BYTES; at < near; at++) {",
    become: "for (const near = at + NEAR_BYTES; (at <= near); at++) {",
    reason: "one byte more is looked at by itself, and the same quote is found",
  },
  {
    file: "src/core/policy/headers/header-name.ts",
    lines: "if (keptNames.size < NAMES_KEPT_MAX && name.length <= NAME_CHARACTERS_KEPT_MAX) {",
    become: "if ((keptNames.size <= NAMES_KEPT_MAX) && name.length <= NAME_CHARACTERS_KEPT_MAX) {",
    reason: "one more name is cached",
  },
  {
    file: "src/core/policy/retry/retry-after.ts",
    lines: "if (name.length !== steering.length || name.toLowerCase() !== steering) continue;",
    become: "if (name.toLowerCase() !== steering) continue;",
    reason: "a name of another length is another name too",
  },
  {
    file: "src/core/rules/message/compose.ts",
    lines: 'url: first?.url ?? "",',
    become: 'url: "",',
    reason: "the URL of each recipient takes its place",
  },
  {
    file: "src/wire/headers/header-kind.ts",
    lines:
      "if (first === 0x73 && name.charCodeAt(3) === 0x2d) return prefixed(name, DIALECTS.svc);",
    become: "if (first === 0x73) return prefixed(name, DIALECTS.svc);",
    reason: "the whole prefix is compared afterwards",
  },
  {
    file: "src/wire/headers/header-reading.ts",
    lines: "if (row === HOP_ROW) reading.hopNames.push(sentAs);",
    become: "if (true) reading.hopNames.push(sentAs);",
    reason: "only the names of this row are looked for among them",
  },
  {
    file: "src/wire/workflow/workflow-headers.ts",
    lines: 'const TWICE = "twice";',
    become: 'const TWICE = "";',
    reason: "no header that is read has this name either",
  },
  {
    file: "src/operations/message/log-feed.ts",
    lines: "if (bytes > PAGE_BYTES_MAX) return { entries, upTo: entries.at(-1)!.number };",
    become: "if ((bytes >= PAGE_BYTES_MAX)) return { entries, upTo: entries.at(-1)!.number };",
    reason: "a page ends one entry earlier, and the next begins with it",
  },
  {
    file: "src/operations/account/sessions.ts",
    lines: 'return this.#seal({ by: "password", accountId, mark: markOf(passwordHash ?? "") });',
    become:
      'return this.#seal({ by: "password", accountId, mark: markOf(passwordHash ?? "changed") });',
    reason: "no account without a password signs in with one, and such a session opens nothing",
  },
  {
    file: "src/operations/account/sign-in-guard.ts",
    lines: 'throw new Problem("too-many-requests", "too many sign in at once; try again", 1);',
    become: 'throw new Problem("too-many-requests", "too many sign in at once; try again", 2);',
    reason: "the caller is told to wait a second longer",
  },
];
