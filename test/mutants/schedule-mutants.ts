import { contract, IN_MEMORY, type Mutant } from "./mutant.ts";

/** Defects of schedules and of the cron expressions that they fire by. */
export const SCHEDULE_MUTANTS: readonly Mutant[] = [
  {
    name: "a tick is made again by the second node",
    edits: [
      {
        within: "core/rules/schedule/schedules.ts",
        find: " || schedule.nextAt !== each.dueAt",
        replace: "",
      },
    ],
    suites: [contract("ticks")],
    only: IN_MEMORY,
  },
  {
    name: "a tick is made of settings that were replaced",
    edits: [
      {
        within: "core/rules/schedule/schedules.ts",
        find: "schedule?.version !== each.version",
        replace: "schedule === null",
      },
    ],
    suites: [contract("ticks")],
    only: IN_MEMORY,
  },
  {
    name: "setting the clock of a node makes schedules fire too soon",
    edits: [
      {
        within: "platform/shared-clock.ts",
        find: "Math.abs(wall - shared) <= AGREES_MS ? wall : Math.round(shared)",
        replace: "wall",
      },
    ],
    suites: ["src/platform/shared-clock.test.ts", "test/cluster/clocks.test.ts"],
  },
  {
    name: "a paused schedule fires",
    edits: [
      {
        within: "core/rules/schedule/schedules.ts",
        find: "each.fired !== null && !schedule.isPaused",
        replace: "each.fired !== null",
      },
    ],
    suites: [contract("ticks")],
    only: IN_MEMORY,
  },
  {
    name: "ticks that were missed leave no record",
    edits: [
      {
        within: "core/rules/schedule/schedules.ts",
        find: "skipped: skipped ?? schedule.skipped",
        replace: "skipped: schedule.skipped",
      },
    ],
    suites: [contract("ticks")],
    only: IN_MEMORY,
  },
  {
    name: "a repeated hour runs a daily entry twice",
    edits: [
      {
        within: "core/policy/cron/cron.ts",
        find: "expression.hours.length === 1 && expression.minutes.length === 1",
        replace: "expression.hours.length === 25",
      },
    ],
    suites: ["src/core/policy/cron/cron.test.ts"],
  },
];
