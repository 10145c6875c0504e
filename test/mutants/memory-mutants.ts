import type { Mutant } from "./mutant.ts";

/** Defects of what bounds the memory of bodies. */
export const MEMORY_MUTANTS: readonly Mutant[] = [
  {
    name: "every chunk of a body is kept as an object",
    edits: [
      {
        within: "platform/growing-buffer.ts",
        find: "const FIRST_BYTES = 4 * 1024;",
        replace: "const FIRST_BYTES = 4 * 1024;\nconst kept: Uint8Array[] = [];",
      },
      {
        within: "platform/growing-buffer.ts",
        find: "this.#bytes.set(chunk, this.#size);",
        replace: "kept.push(chunk);\n    this.#bytes.set(chunk, this.#size);",
      },
    ],
    suites: ["test/journeys/tiny-chunks.test.ts"],
  },
  {
    name: "a body grows without being charged",
    edits: [
      {
        within: "api/http/server/body.ts",
        find: "if (growth === 0 || charge.grow(growth)) content.add(chunk);",
        replace: "if (growth === 0 || charge.grow(growth) || growth > 0) content.add(chunk);",
      },
    ],
    suites: ["src/api/http/server/body.test.ts"],
  },
  {
    name: "an answer grows without being charged",
    edits: [
      {
        within: "delivery/http/exchange.ts",
        find: "if (growth === 0 || this.#charge.grow(growth)) return this.#keep(bytes);",
        replace: "if (growth >= 0) return this.#keep(bytes);",
      },
    ],
    suites: ["test/delivery/answer-memory.test.ts"],
  },
  {
    name: "the memory of an answer is never given back",
    edits: [
      {
        within: "engine/dispatch/under-way.ts",
        find: "this.#deliveries.get(messageId)?.sending.release?.();",
        replace: "",
      },
    ],
    suites: ["test/journeys/many-answers.test.ts"],
  },
  {
    name: "a connection has any number of requests at once",
    edits: [
      {
        within: "api/http/server/connection.ts",
        find: 'if (count < REQUESTS_AT_ONCE_MAX) return "admitted";',
        replace: 'if (count >= 0) return "admitted";',
      },
    ],
    suites: ["src/api/http/server/connection.test.ts"],
  },
  {
    name: "an answer that waits for its turn on a connection is not charged",
    edits: [
      {
        within: "api/http/answers/write-answer.ts",
        find: "if (response.socket?.writableLength === 0) return;",
        replace: "if ((response.socket?.writableLength ?? 0) === 0) return;",
      },
    ],
    suites: ["src/api/http/server/connection.test.ts"],
  },
  {
    name: "a refused body is read on in chunks of any size",
    edits: [
      {
        within: "api/http/answers/write-answer.ts",
        find: "chunks.bytes > LINGER_BYTES_MAX || chunks.areTiny",
        replace: "chunks.bytes > LINGER_BYTES_MAX",
      },
    ],
    suites: ["src/api/http/answers/linger.test.ts"],
  },
  {
    name: "members of JSON are not counted",
    edits: [
      {
        within: "core/policy/limits/json-scan.ts",
        find: 'if (members > membersMax) return "many";',
        replace: "",
      },
    ],
    suites: ["src/core/policy/limits/json-scan.test.ts"],
  },
];
