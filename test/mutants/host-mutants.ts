import type { Mutant } from "./mutant.ts";

/** Defects of who may go to a host, and when. */
export const HOST_MUTANTS: readonly Mutant[] = [
  {
    name: "a stop still sends what waits for its host",
    edits: [
      {
        within: "engine/dispatch/dispatcher.ts",
        find: "this.#stopping = true;\n    this.#slots.hosts.dismissAll();\n",
        replace: "this.#stopping = true;\n",
      },
      {
        within: "engine/dispatch/entrance.ts",
        find: "const isOpen = !isAborted && mayStart();",
        replace: "const isOpen = true as boolean;",
      },
    ],
    suites: ["test/simulation/host-slots.test.ts"],
  },
  {
    name: "a node that may be dead keeps what waits for its host",
    edits: [
      {
        within: "engine/dispatch/dispatcher.ts",
        find: "  abortLimited(): void {\n    this.#slots.hosts.dismissAll();\n",
        replace: "  abortLimited(): void {\n",
      },
    ],
    suites: ["test/simulation/host-slots.test.ts"],
  },
  {
    name: "a claim knows no shares of a host",
    edits: [
      {
        within: "store/claim-budget.ts",
        find: "share?.accounts[accountId] ?? share?.others ?? Infinity;",
        replace: "share?.accounts[accountId] ?? Infinity;",
      },
    ],
    suites: ["test/contract/claim.test.ts"],
  },
];
