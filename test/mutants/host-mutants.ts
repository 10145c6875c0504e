import type { Mutant } from "./mutant.ts";

/** Defects of who may go to a host, and when. */
export const HOST_MUTANTS: readonly Mutant[] = [
  {
    name: "newcomers wait for everybody, whatever line they are in",
    edits: [
      {
        within: "engine/dispatcher.ts",
        find: "!(isInLine && hosts.hasPlenty(host))",
        replace: "!(isInLine && this.#stopping)",
      },
    ],
    suites: ["test/simulation/claims.test.ts"],
  },
  {
    name: "newcomers leave no slots to those who wait",
    edits: [
      {
        within: "engine/dispatcher.ts",
        find: "!(isInLine && hosts.hasPlenty(host))",
        replace: "!isInLine",
      },
    ],
    suites: ["test/simulation/claims.test.ts"],
  },
  {
    name: "a host gets more at once than it may",
    edits: [
      {
        within: "engine/host-places.ts",
        find: "if (!this.isFull(host)) {\n      entered.taken",
        replace: 'if (host !== "") {\n      entered.taken',
      },
    ],
    suites: ["test/simulation/host-places.test.ts"],
  },
  {
    name: "a host is promised without end",
    edits: [
      {
        within: "engine/host-places.ts",
        find: "!this.isFull(host) && promised < this.#caps.of(host)",
        replace: "!this.isFull(host) && promised >= 0",
      },
    ],
    suites: ["test/simulation/host-places.test.ts"],
  },
  {
    name: "messages wait in memory for a host that is silent",
    edits: [
      {
        within: "engine/host-places.ts",
        find: "this.#caps.silent(host);\n    this.#dismiss(host);",
        replace: "this.#caps.silent(host);\n    this.#letIn(host);",
      },
    ],
    suites: ["test/simulation/host-places.test.ts"],
  },
  {
    name: "a stop still sends what waits for its host",
    edits: [
      {
        within: "engine/dispatcher.ts",
        find: "this.#stopping = true;\n    this.#slots.hosts.dismissAll();\n",
        replace: "this.#stopping = true;\n",
      },
      {
        within: "engine/dispatcher.ts",
        find: "!this.#deliverySwitch.isOff : this.#mayStart();",
        replace: "!this.#deliverySwitch.isOff : true;",
      },
    ],
    suites: ["test/simulation/host-places.test.ts"],
  },
  {
    name: "a node that may be dead keeps what waits for its host",
    edits: [
      {
        within: "engine/dispatcher.ts",
        find: "  abortLimited(): void {\n    this.#slots.hosts.dismissAll();\n",
        replace: "  abortLimited(): void {\n",
      },
    ],
    suites: ["test/simulation/host-places.test.ts"],
  },
];
