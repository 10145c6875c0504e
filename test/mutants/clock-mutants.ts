import { contract, IN_MEMORY, type Mutant, POSTGRES } from "./mutant.ts";

const STEPS = contract("clock-steps");

/** Defects that show when a clock is set. */
export const CLOCK_MUTANTS: readonly Mutant[] = [
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
        find: "THEN least(${now}, (",
        replace: "THEN greatest(${now}, (",
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
    name: "setting the clock of a node makes schedules fire too soon",
    edits: [
      {
        within: "platform/due-time-clock.ts",
        find: "Math.abs(wall - shared) <= AGREES_MS ? wall : Math.round(shared)",
        replace: "wall",
      },
    ],
    suites: ["src/platform/shared-clock.test.ts", "test/cluster/clocks.test.ts"],
  },
];
