import { contract, IN_MEMORY, type Mutant, POSTGRES } from "./mutant.ts";

/** Defects of accounts, of the console, and of what halts deliveries. */
export const ACCOUNT_MUTANTS: readonly Mutant[] = [
  {
    name: "account: a replaced token is taken after its grace",
    edits: [
      {
        within: "core/rules/account/tokens.ts",
        find: "previousTokens === null || previousTokens.until <= now",
        replace: "previousTokens === null",
      },
    ],
    suites: ["src/operations/account/accounts.test.ts"],
  },
  {
    name: "account: a named token is taken after its end",
    edits: [
      {
        within: "core/rules/account/tokens.ts",
        find: "expiresAt !== null && expiresAt <= now ? null :",
        replace: "",
      },
    ],
    suites: ["src/operations/account/accounts.test.ts"],
  },
  {
    name: "account: a session outlives its token",
    edits: [
      {
        within: "operations/account/accounts.ts",
        find: "record && this.#granted(record, tokenHash)",
        replace: "record && { account: record, isReadOnly: false }",
      },
    ],
    suites: ["test/journeys/sessions.test.ts"],
  },
  {
    name: "account: another page may use a session",
    edits: [
      {
        within: "api/http/callers/session-cookie.ts",
        find: "if (!isOwn) throw",
        replace: "if (!isOwn && changes === null) throw",
      },
    ],
    suites: ["test/journeys/sessions.test.ts"],
  },
  {
    name: "account: its own password reaches other accounts",
    edits: [
      {
        within: "api/account/console-routes.ts",
        find: `access.kind === "account" && access.account.accountId !== id`,
        replace: `access.kind === "account" && id === ""`,
      },
    ],
    suites: ["test/journeys/console.test.ts"],
    only: "sqlite",
  },
  {
    name: "account: pages of other sites may post to the console",
    edits: [
      {
        within: "api/account/console.ts",
        find: `if (route.method !== "GET") requireOwnSite(request);`,
        replace: "void requireOwnSite;",
      },
    ],
    suites: ["test/journeys/console.test.ts"],
    only: "sqlite",
  },
  {
    name: "account: failed sign-ins are not counted",
    edits: [
      {
        within: "operations/token-buckets.ts",
        find: "{ left: left - 1, at: now }",
        replace: "{ left, at: now }",
      },
    ],
    suites: ["src/operations/account/sign-in-guard.test.ts"],
  },
  {
    name: "account: a suspended one's token is taken",
    edits: [
      {
        within: "api/http/callers/authenticate.ts",
        find: "if (access.account.isSuspended) {",
        replace: "if (access.account.isSuspended && needs === null) {",
      },
    ],
    suites: ["test/journeys/halted.test.ts"],
    only: "sqlite",
  },
  {
    name: "account: SQLite visits the lines of a halted one again and again",
    edits: [
      {
        within: "store/sqlite/claim/lines.ts",
        find: "isHalted ? { ...limits, halted: true } : limits",
        replace: "isHalted ? limits : limits",
      },
    ],
    suites: [contract("halted")],
    only: IN_MEMORY,
  },
  {
    name: "account: PostgreSQL visits the lines of a halted one again and again",
    edits: [
      {
        within: "store/postgres/claim/lines.ts",
        find: `row["halted"] === true ? { ...limits, halted: true } : limits`,
        replace: `row["halted"] === "true" ? { ...limits, halted: true } : limits`,
      },
    ],
    suites: [contract("halted")],
    only: POSTGRES,
  },
  {
    name: "accounts: the runs of a paused account go on by replies",
    edits: [
      {
        within: "core/rules/message/immediate-lease.ts",
        find: "limits.parallelismMax === null && !isHalted",
        replace: "limits.parallelismMax === null",
      },
    ],
    suites: ["test/journeys/workflow-replies.test.ts"],
    only: "paused account",
  },
];
