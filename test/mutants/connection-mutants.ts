import type { Mutant } from "./mutant.ts";

const OF_ACCOUNTS = ["test/delivery/account-connections.test.ts"];
const CONNECTIONS = ["test/delivery/kept-connections.test.ts"];

/** Defects of the HTTP connection that carries deliveries. */
export const CONNECTION_MUTANTS: readonly Mutant[] = [
  {
    name: "connection: bytes after an answer stay for the next one",
    edits: [
      {
        within: "delivery/http/connection.ts",
        find: "this.#finish(used === bytes.length);",
        replace: "this.#finish(true);",
      },
    ],
    suites: CONNECTIONS,
  },
  {
    name: "connection: accounts share the kept ones of an origin",
    edits: [
      {
        within: "delivery/http/origin-pool.ts",
        find: "const key = `${accountId} ${origin}`;",
        replace: "const key = ` ${origin}`;",
      },
    ],
    suites: OF_ACCOUNTS,
  },
];
