import { contract, IN_MEMORY, type Mutant, POSTGRES } from "./mutant.ts";

const STEPS = contract("clock-steps");
const STEADY = "src/platform/steady-clock.test.ts";

/** Defects that show when a clock is set. */
export const CLOCK_MUTANTS: readonly Mutant[] = [
  {
    name: "clock: the janitor believes a jump ahead at once",
    edits: [
      {
        within: "engine/upkeep/janitor.ts",
        find: "restMs > 0 ? null",
        replace: "restMs > Infinity ? null",
      },
    ],
    suites: ["src/engine/upkeep/janitor.test.ts"],
  },
  {
    name: "clock: due time steps back with it",
    edits: [
      {
        within: "platform/due-time-clock.ts",
        find: "Math.max(0, Math.ceil(this.#aheadMs - ms))",
        replace: "Math.max(0, Math.min(0, ms))",
      },
    ],
    suites: [STEPS],
    only: IN_MEMORY,
  },
  {
    name: "clock: due time stays ahead of one that has caught up",
    edits: [
      {
        within: "platform/due-time-clock.ts",
        find: "Math.max(0, Math.ceil(this.#aheadMs - ms))",
        replace: "this.#aheadMs + Math.max(0, -ms)",
      },
    ],
    suites: [STEADY],
  },
  {
    name: "clock: shown times stay where it had been ahead",
    edits: [
      {
        within: "platform/due-time-clock.ts",
        find: "    this.#shownAt = -Infinity;\n    // A forward",
        replace: "    // A forward",
      },
    ],
    suites: [STEADY],
  },
  {
    name: "clock: messages in a queue wait for the time at which they were made",
    edits: [
      {
        within: "core/rules/message/publish.ts",
        find: "isReady ? { ...state, readyAt: NO_DELAY } : state",
        replace: "isReady ? { ...state, readyAt: createdAt } : state",
      },
    ],
    suites: [STEPS],
    only: IN_MEMORY,
  },
  {
    name: "clock: SQLite admits a message from its queue for later",
    edits: [
      {
        within: "store/sqlite/claim/claim-sql.ts",
        find: "ready_at, min(?1, (",
        replace: "ready_at, max(?1, (",
      },
    ],
    suites: [STEPS],
    only: IN_MEMORY,
  },
  {
    name: "clock: PostgreSQL admits a message from its queue for later",
    edits: [
      {
        within: "store/postgres/claim/claim-sql.ts",
        find: "THEN least($3, (",
        replace: "THEN greatest($3, (",
      },
    ],
    suites: [STEPS],
    only: POSTGRES,
  },
  {
    name: "clock: delays after a step back are over too soon",
    edits: [
      {
        within: "store/group/due-time.ts",
        find: "isAnew && readyAt !== NO_DELAY ? this.of(readyAt) : readyAt",
        replace: "readyAt",
      },
    ],
    suites: [STEPS],
    only: IN_MEMORY,
  },
  {
    name: "clock: what is on its way during a step back is late",
    edits: [
      {
        within: "store/group/due-time.ts",
        find: "this.#time.aheadMs - Math.max(0, madeAt - this.#time.now)",
        replace: "this.#time.aheadMs + 0 * madeAt",
      },
    ],
    suites: [STEPS],
    only: IN_MEMORY,
  },
  {
    name: "clock: attempts are logged in due time",
    edits: [
      {
        within: "store/sqlite/claim/claim.ts",
        find: "      at: shownAt,",
        replace: "      at: now + 0 * shownAt,",
      },
    ],
    suites: [STEPS],
    only: IN_MEMORY,
  },
  {
    name: "clock: nodes do not learn the due time of others",
    edits: [
      {
        within: "store/upkeep/beat.ts",
        find: "const dueAt = now + aheadMs;",
        replace: "const dueAt = now + 0 * aheadMs;",
      },
    ],
    suites: [STEPS],
    only: IN_MEMORY,
  },
  {
    name: "clock: a deduplication key from far ahead stands for ever",
    edits: [
      {
        within: "core/rules/message/deduplication.ts",
        find: "expiresAt > at && expiresAt <= at + HELD_MS_MAX",
        replace: "expiresAt > at",
      },
    ],
    suites: [STEPS],
    only: IN_MEMORY,
  },
  {
    name: "clock: schedules stay silent for an hour after it was ahead",
    edits: [
      {
        within: "core/rules/schedule/ticks.ts",
        find: "wasAhead ? now : now + AHEAD_MS_MAX",
        replace: "wasAhead ? now + AHEAD_MS_MAX : now + AHEAD_MS_MAX",
      },
    ],
    suites: [contract("ticks")],
    only: IN_MEMORY,
  },
];
