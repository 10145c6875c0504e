import type { Mutant } from "./mutant.ts";

const ANSWERS = ["test/delivery/answers/differential.test.ts"];
const OF_ACCOUNTS = ["test/delivery/account-connections.test.ts"];
const CONNECTIONS = ["test/delivery/kept-connections.test.ts"];

/** Defects of the HTTP connection that carries deliveries. */
export const CONNECTION_MUTANTS: readonly Mutant[] = [
  {
    name: "connection: two lengths are taken for one",
    edits: [
      {
        within: "delivery/http/answer-head.ts",
        find: "if (this.#length !== null || !LENGTH.test(value))",
        replace: "if (!LENGTH.test(value))",
      },
    ],
    suites: ANSWERS,
  },
  {
    name: "connection: a length beside chunks is ignored",
    edits: [
      {
        within: "delivery/http/answer-head.ts",
        find: "if (this.#length !== null) throw new DeliveryError(NOT_HTTP);",
        replace: "",
      },
    ],
    suites: ANSWERS,
  },
  {
    name: "connection: a line feed alone is not noticed",
    edits: [
      {
        within: "delivery/http/answer-head.ts",
        find: "/\\r(?!\\n)|(?<!\\r)\\n/",
        replace: "/\\r(?!\\n)/",
      },
    ],
    suites: ANSWERS,
  },
  {
    name: "connection: what follows the data of a chunk is not checked",
    edits: [
      {
        within: "delivery/http/chunked-body.ts",
        find: "const digit = this.#isAfterData ? -1 : hexDigit(byte);",
        replace: "const digit = this.#isAfterData ? 0 : hexDigit(byte);",
      },
    ],
    suites: ANSWERS,
  },
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
    name: "connection: it is kept while its request is being written",
    edits: [
      {
        within: "delivery/http/connection.ts",
        find: "this.#socket!.writableLength === 0 &&",
        replace: "",
      },
    ],
    suites: CONNECTIONS,
  },
  {
    name: "connection: idle ones are never closed",
    edits: [
      {
        within: "delivery/http/origin-pool.ts",
        find: "idleUntil <= now",
        replace: "idleUntil <= now - 86_400_000",
      },
    ],
    suites: CONNECTIONS,
  },
  {
    name: "connection: one that never opens is not given up",
    edits: [
      {
        within: "delivery/http/origin-pool.ts",
        find: "this.#leftOver += 1;",
        replace: "this.#leftOver += 0;",
      },
    ],
    suites: ["test/delivery/traps.test.ts"],
  },
  {
    name: "connection: accounts share the kept ones of an origin",
    edits: [
      {
        within: "delivery/http/origin-pools.ts",
        find: "const key = `${accountId} ${origin}`;",
        replace: "const key = ` ${origin}`;",
      },
    ],
    suites: OF_ACCOUNTS,
  },
  {
    name: "connection: an account without one waits for those that have some",
    edits: [
      {
        within: "delivery/http/origin-room.ts",
        find: "!needsIt || connections === 0 || connections < pool.connections - 1",
        replace: "!needsIt",
      },
    ],
    suites: OF_ACCOUNTS,
  },
];
