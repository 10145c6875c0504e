import { contract, IN_MEMORY, type Mutant, POSTGRES } from "./mutant.ts";

/** Defects of what holds accounts to their limits, and of the way out. */
export const LIMIT_MUTANTS: readonly Mutant[] = [
  {
    name: "a day has one message more than its limit",
    edits: [
      {
        within: "operations/account/daily-quota.ts",
        find: "count > left)",
        replace: "count > left + 1)",
      },
    ],
    suites: ["src/operations/account/daily-quota.test.ts"],
  },
  {
    name: "what was accepted while the store was asked is forgotten",
    edits: [
      {
        within: "operations/account/daily-quota.ts",
        find: "day.underWay += count;",
        replace: "day.underWay += 0; count = 0;",
      },
    ],
    suites: ["src/operations/account/daily-quota.test.ts"],
  },
  {
    name: "a refusal of a second looks like one of a day",
    edits: [
      {
        within: "api/http/answers/problem-answer.ts",
        find: `{ "burst-limit": "Burst-" }`,
        replace: "{}",
      },
    ],
    suites: ["src/api/http/limits/burst-limit.test.ts"],
  },
  {
    name: "messages of callbacks do not count",
    edits: [
      {
        within: "store/group/daily-tally.ts",
        find: "of(entry).messages += 1;",
        replace: `if (!entry.messageId.includes("callback")) of(entry).messages += 1;`,
      },
    ],
    suites: [contract("daily-counts")],
    only: POSTGRES,
  },
  {
    name: "what the log has gained is counted again each second",
    edits: [
      {
        within: "store/sqlite/tables/daily-counts.ts",
        find: "this.#sql.counted.run();",
        replace: "",
      },
    ],
    suites: [contract("daily-counts")],
    only: IN_MEMORY,
  },
  {
    name: "counts leave out what is not stored yet",
    edits: [
      {
        within: "store/sqlite/reads/reader.ts",
        find: "WHERE ${OF_ACCOUNT} AND ${IS_NEW})",
        replace: "WHERE ${OF_ACCOUNT} AND number < 0)",
      },
    ],
    suites: ["test/contract/sqlite/durable.test.ts"],
  },
  {
    name: "what is swept before it was counted is never counted",
    edits: [
      {
        within: "store/sqlite/thread/writer.ts",
        find: "      this.#days.countLog();\n      return this.#run(sweepAccount",
        replace: "      return this.#run(sweepAccount",
      },
    ],
    suites: [contract("daily-counts")],
    only: IN_MEMORY,
  },
  {
    name: "a message that was delayed for long goes as soon as it is delivered",
    edits: [
      {
        within: "store/sqlite/upkeep/sweep.ts",
        find: "AND at >= $4",
        replace: "AND at >= $4 AND at < 0",
      },
    ],
    suites: [contract("sweep")],
    only: IN_MEMORY,
  },
  {
    name: "every account keeps its log for the same time",
    edits: [
      {
        within: "engine/upkeep/sweep-round.ts",
        find: "Math.max(KEPT_MS_LEAST, limits.logRetentionMs)",
        replace: "7 * 86_400_000",
      },
    ],
    suites: [contract("retention")],
    only: IN_MEMORY,
  },
  {
    name: "one dead letter fewer is kept than may be",
    edits: [
      {
        within: "engine/upkeep/sweep-round.ts",
        find: "let left = limits.deadLettersMax; left > 0;",
        replace: "let left = limits.deadLettersMax - 1; left > 0;",
      },
    ],
    suites: [contract("retention")],
    only: IN_MEMORY,
  },
  {
    name: "a tunnel is used although the proxy refused it",
    edits: [
      {
        within: "delivery/http/tunnel.ts",
        find: `!status.startsWith("2")`,
        replace: `status === "407"`,
      },
    ],
    suites: ["test/delivery/proxy.test.ts"],
  },
  {
    name: "limit: the count of connections does not know the trusted proxies",
    edits: [
      {
        within: "api/api.ts",
        find: "      settings.trustedProxies,\n      connectionLimits",
        replace: "      [],\n      connectionLimits",
      },
    ],
    suites: ["test/journeys/many-connections.test.ts"],
  },
  {
    name: "limit: connections are not counted in all",
    edits: [
      {
        within: "api/http/limits/connection-limit.ts",
        find: "this.#open >= this.#limits.inAll",
        replace: "this.#open < 0",
      },
    ],
    suites: ["test/journeys/open-files.test.ts"],
  },
  {
    name: "limit: an attempt fails when the process has no open file left",
    edits: [
      {
        within: "delivery/http/dial.ts",
        find: `code === "EMFILE"`,
        replace: `code === "EFILE"`,
      },
    ],
    suites: ["test/delivery/open-files.test.ts"],
  },
  {
    name: "limit: a request through a proxy that has ended still counts",
    edits: [
      {
        within: "api/http/server/handle.ts",
        find: 'response.once("close", api.connections.requested(request, api.callerIp));',
        replace: "api.connections.requested(request, api.callerIp);",
      },
    ],
    suites: ["test/journeys/many-connections.test.ts"],
  },
  {
    name: "limit: a step may be no larger than a message",
    edits: [
      {
        within: "core/rules/workflow/run-entries.ts",
        find: "Math.min(6 * messageBytesMax, RUN_BYTES_MAX)",
        replace: "Math.min(messageBytesMax, RUN_BYTES_MAX)",
      },
    ],
    suites: ["test/journeys/very-large-answers.test.ts"],
    only: "sqlite.*postrider",
  },
  {
    name: "limit: an answer to a call is cut at 1 MB whatever the account may have",
    edits: [
      {
        within: "engine/dispatch/answer-size.ts",
        find: "?.limits.messageBytesMax;",
        replace: "?.limits.messageBytesMax && 1_048_576;",
      },
    ],
    suites: ["test/journeys/very-large-answers.test.ts"],
    only: "sqlite.*(postrider|failure)",
  },
];
