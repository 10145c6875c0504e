import { contract, type Mutant } from "./mutant.ts";

const READ_ONLY = ["test/journeys/read-only-database.test.ts"];
const SCHEMAS = ["test/journeys/database-schema.test.ts"];

/** Defects in how faults of the database are noticed and outlived. */
export const OUTAGE_MUTANTS: readonly Mutant[] = [
  {
    name: "outage: a reply is given up while the account cannot be read",
    edits: [
      {
        within: "engine/dispatch/settler.ts",
        find: "this.#persist(() => this.#replies.refusalOf(leased.message, reply))",
        replace: "this.#replies.refusalOf(leased.message, reply)",
      },
    ],
    suites: ["test/simulation/silent-store.test.ts"],
  },
  {
    name: "outage: a transaction that writes is begun on a standby",
    edits: [
      {
        within: "store/postgres/driver/conversation.ts",
        find: `if (row?.["is_read_only"] === true) throw new ServerReadOnly();`,
        replace: "",
      },
    ],
    suites: ["test/contract/postgres/conversation.test.ts"],
  },
  {
    name: "outage: the next try takes a connection from before the fault",
    edits: [
      {
        within: "store/postgres/driver/connection.ts",
        find: "if ((this.#answeredAt.get(client) ?? Infinity) > lostAt) return client;",
        replace: "if (lostAt < Infinity) return client;",
      },
    ],
    suites: ["test/contract/postgres/restart.test.ts"],
  },
  {
    name: "outage: a probe takes a standby for a primary",
    edits: [
      {
        within: "store/postgres/driver/connection-pool.ts",
        find: `if (rows[0]?.["transaction_read_only"] === "on") throw new ServerReadOnly();`,
        replace: "void rows;",
      },
    ],
    suites: READ_ONLY,
  },
  {
    name: "outage: open connections are not shared when there is no other",
    edits: [
      {
        within: "store/postgres/driver/connection-pool.ts",
        find: "if (this.#clients.size === 0) throw error;",
        replace: "throw error;",
      },
    ],
    suites: [contract("postgres/shared-connections")],
  },
  {
    name: "outage: a server without a free connection is not told of",
    edits: [
      {
        within: "store/postgres/driver/availability.ts",
        find: "if (kind === null) this.#refused(error);",
        replace: "if (kind === null) return;",
      },
    ],
    suites: ["test/journeys/full-server.test.ts"],
  },
  {
    name: "schema: data of an earlier layout in public is passed over",
    edits: [
      {
        within: "store/postgres/upkeep/migrate.ts",
        find: "if (isLikeOurs !== true) return;",
        replace: "if (isLikeOurs === true) return;",
      },
    ],
    suites: SCHEMAS,
  },
];
