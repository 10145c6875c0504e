import { contract, IN_MEMORY, type Mutant, POSTGRES } from "./mutant.ts";

/** Defects of accounts, of the console, and of what halts deliveries. */
export const ACCOUNT_MUTANTS: readonly Mutant[] = [
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
];
