import type { Mutant } from "./mutant.ts";

const TAIL = ["sdk/src/client/tail.test.ts"];

/** Defects of the client, and of what the service answers for its sake. */
export const SDK_MUTANTS: readonly Mutant[] = [
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
  {
    name: "client: a list of messages begins anew with each page",
    edits: [
      {
        within: "operations/message/live-messages.ts",
        find: `openCursor(context, "messages", cursor) ?? ""`,
        replace: `(openCursor(context, "messages", cursor), "")`,
      },
    ],
    suites: ["test/journeys/live-messages.test.ts"],
    only: "sqlite",
  },
];
