import type { Mutant } from "./mutant.ts";

const TAIL = ["sdk/src/client/tail.test.ts"];
const ONCE = ["test/journeys/sdk-once.test.ts"];
const FOREIGN = ["test/journeys/sdk-foreign-signatures.test.ts"];

/** Defects of the client, and of what the service answers for its sake. */
export const SDK_MUTANTS: readonly Mutant[] = [
  {
    name: "client: a repeated publish has another id",
    edits: [
      {
        within: "../sdk/src/client/once.ts",
        find: "if (!deduplicates || deduplicationId",
        replace: "if (deduplicates || deduplicationId",
      },
    ],
    suites: ONCE,
    only: "sqlite",
  },
  {
    name: "client: a signature made for another run is taken",
    edits: [
      {
        within: "../sdk/src/workflow/signed-delivery.ts",
        find: "if (run !== wanted) {",
        replace: "if (run === undefined) {",
      },
    ],
    suites: FOREIGN,
    only: "sqlite",
  },
  {
    name: "client: a plain message starts a run wherever it is sent to",
    edits: [
      {
        within: "../sdk/src/workflow/signed-url.ts",
        find: "if (isGiven && (signed === url",
        replace: "if (!isGiven || (signed === url",
      },
    ],
    suites: FOREIGN,
    only: "sqlite",
  },
  {
    name: "signature: a call to a third party is signed as a result for the run",
    edits: [
      {
        within: "delivery/signature/signature.ts",
        find: `  step: "step",`,
        replace: `  step: "step",\n  call: "callback",`,
      },
    ],
    suites: FOREIGN,
    only: "sqlite",
  },
  {
    name: "client: an entry that comes to light late is not told by the tail",
    edits: [
      {
        within: "../sdk/src/client/tail.ts",
        find: "const LATE_MS = 10_000;",
        replace: "const LATE_MS = 10;",
      },
    ],
    suites: TAIL,
  },
  {
    name: "client: of entries that look alike the tail tells one",
    edits: [
      {
        within: "../sdk/src/client/tail.ts",
        find: "times > (this.#returned.get(text) ?? 0)",
        replace: "times === 1 && !this.#returned.has(text)",
      },
    ],
    suites: TAIL,
  },
];
