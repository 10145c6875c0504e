import { contract, IN_MEMORY, type Mutant } from "./mutant.ts";

/** Defects of what the dashboard reads: counts, the backlog, why messages wait, the stream, lists. */
export const OBSERVING_MUTANTS: readonly Mutant[] = [
  {
    name: "observing: an attempt that is retried counts as no failure",
    edits: [
      {
        within: "store/group/stats-tally.ts",
        find: `if (entry.state === "ERROR") sums.failedAttempts += 1;`,
        replace: `if (next?.state === "FAILED") sums.failedAttempts += 1;`,
      },
    ],
    suites: [contract("stats")],
    only: IN_MEMORY,
  },
  {
    name: "observing: counts that could not be written are lost",
    edits: [
      {
        within: "store/group/stats-tally.ts",
        find: "this.#unwritten = merged([...this.#unwritten, ...rows]);",
        replace: "this.#unwritten = merged(rows.slice(rows.length));",
      },
    ],
    suites: ["src/store/group/stats-tally.test.ts"],
  },
  {
    name: "observing: a node that stops keeps its counts to itself",
    edits: [
      {
        within: "engine/upkeep/stats-recorder.ts",
        find: "while (await this.#store.recordStats(MINUTES_MAX));",
        replace: "await Promise.resolve();",
      },
    ],
    suites: ["test/journeys/stats.test.ts"],
    only: "a restart loses no count",
  },
  {
    name: "observing: the backlog has no days",
    edits: [
      {
        within: "core/model/account/stats.ts",
        find: `const steps: readonly StatStep[] = ["minute", "hour", "day"];`,
        replace: `const steps: readonly StatStep[] = ["minute", "hour"];`,
      },
    ],
    suites: [contract("backlog")],
    only: IN_MEMORY,
  },
  {
    name: "observing: a retry is shown as a delay",
    edits: [
      {
        within: "core/views/why-waiting.ts",
        find: `facts.isTried ? "retry" : "delay"`,
        replace: `facts.isTried ? "delay" : "delay"`,
      },
    ],
    suites: ["src/core/views/why-waiting.test.ts"],
  },
  {
    name: "observing: a paused queue is shown as a full one",
    edits: [
      {
        within: "core/views/why-waiting.ts",
        find: "if (limits.paused) return pause(kind, line);",
        replace: "",
      },
    ],
    suites: ["src/core/views/why-waiting.test.ts"],
  },
  {
    name: "observing: a count that stopped early says that it is exact",
    edits: [
      {
        within: "store/reads/waiting.ts",
        find: "isAbout: isGroupAbout,",
        replace: "isAbout: isGroupAbout && count < 0,",
      },
    ],
    suites: [contract("bounded-waiting")],
    only: `${IN_MEMORY} counting stops`,
  },
  {
    name: "observing: the callbacks of a message are the oldest ones",
    edits: [
      {
        within: "store/sqlite/reads/messages.ts",
        find: "ORDER BY message_id DESC LIMIT $3`",
        replace: "ORDER BY message_id LIMIT $3`",
      },
    ],
    suites: [contract("callbacks")],
    only: IN_MEMORY,
  },
  {
    name: "observing: a stream that fell behind does not say what it missed",
    edits: [
      {
        within: "operations/message/log-feed.ts",
        find: "return { entries: this.#entries.slice(from, from + PAGE_COUNT), skipped };",
        replace: "return { entries: this.#entries.slice(from, from + PAGE_COUNT), skipped: 0 };",
      },
    ],
    suites: ["src/operations/message/log-feed.test.ts"],
  },
  {
    name: "observing: a stream sends entries before those with lower numbers are known",
    edits: [
      {
        within: "operations/message/log-feed.ts",
        find: "if (logged.number > settled) break;",
        replace: "",
      },
    ],
    suites: ["src/operations/message/log-feed.test.ts"],
  },
  {
    name: "observing: a search for runs goes on until it finds some",
    edits: [
      {
        within: "operations/workflow/run-logs.ts",
        find: "return found > 0 && isSmall",
        replace: "return isSmall",
      },
    ],
    suites: ["src/operations/workflow/run-logs.test.ts"],
  },
  {
    name: "observing: groups are of the oldest dead letters",
    edits: [
      {
        within: "store/reads/dead-letters.ts",
        find: "ORDER BY died_at DESC, number DESC LIMIT $2",
        replace: "ORDER BY died_at, number LIMIT $2",
      },
    ],
    suites: ["test/contract/dead-letters.test.ts"],
  },
  {
    name: "observing: a host with a port matches every port of its name",
    edits: [
      {
        within: "core/views/matches-message.ts",
        find: "isAmong(hosts, url.host) ||",
        replace: "hosts?.some((host) => host.startsWith(url.hostname)) ||",
      },
    ],
    suites: ["src/core/views/matches-message.test.ts"],
  },
  {
    name: "observing: a full page reads a part of the next",
    edits: [
      {
        within: "store/reads/page-builder.ts",
        find: `if (this.#end === "no more rows") this.#finishBecause("rows");`,
        replace: `this.#finishBecause("rows");`,
      },
    ],
    suites: ["src/store/reads/page-builder.test.ts"],
  },
];
