import type { Mutant } from "./mutant.ts";

/** Defects of who may go to a host, and when. */
export const HOST_MUTANTS: readonly Mutant[] = [
  {
    name: "new messages wait for all others, whatever line they are in",
    edits: [
      {
        within: "engine/dispatch/dispatcher.ts",
        find: "(isInLine && hosts.hasPlenty(load))",
        replace: "(isInLine && this.#stopping)",
      },
    ],
    suites: ["test/simulation/claims.test.ts"],
  },
  {
    name: "new messages leave no slots to waiting ones",
    edits: [
      {
        within: "engine/dispatch/dispatcher.ts",
        find: "(isInLine && hosts.hasPlenty(load))",
        replace: "isInLine",
      },
    ],
    suites: ["test/simulation/claims.test.ts"],
  },
  {
    name: "a host gets more at once than it may",
    edits: [
      {
        within: "engine/dispatch/host-slots.ts",
        find: "if (!isFull) {\n      host.taken",
        replace: "if (host.taken >= 0) {\n      host.taken",
      },
    ],
    suites: ["test/simulation/host-slots.test.ts"],
  },
  {
    name: "a host is earmarked without end",
    edits: [
      {
        within: "engine/dispatch/host-slots.ts",
        find: "this.left(key, cap) > 0 && earmarked < cap",
        replace: "this.left(key, cap) > 0 && earmarked >= 0",
      },
    ],
    suites: ["test/simulation/host-slots.test.ts"],
  },
  {
    name: "messages wait in memory for a host that is silent",
    edits: [
      {
        within: "engine/dispatch/host-slots.ts",
        find: "this.#caps.silent(key);\n    this.#dismiss(key);",
        replace: "this.#caps.silent(key);\n    this.#admitWaiting(key.host);",
      },
    ],
    suites: ["test/simulation/host-slots.test.ts"],
  },
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
    name: "what hangs for one account holds up the others",
    edits: [
      {
        within: "engine/dispatch/host-caps.ts",
        find: "this.#last = { accountId, host, key: pairKey(accountId, host) };",
        replace: 'this.#last = { accountId, host, key: pairKey(accountId && "all", host) };',
      },
    ],
    suites: ["test/simulation/host-shares.test.ts", "test/simulation/host-slots.test.ts"],
  },
  {
    name: "an account may take every slot of a host",
    edits: [
      {
        within: "engine/dispatch/host-slots.ts",
        find: "Math.max(free - this.#reserve, Math.min(free, part - held))",
        replace: "Math.max(free, part - held)",
      },
    ],
    suites: ["test/simulation/host-shares.test.ts"],
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
  {
    name: "an account with many hosts has the first slots of every claim",
    edits: [
      {
        within: "core/rules/line/turns.ts",
        find: "const first = claims % Math.max(1, accountIds.length);",
        replace: "const first = 0 * claims;",
      },
    ],
    suites: ["test/contract/claim-turns.test.ts"],
  },
  {
    name: "an account has slots for each of its hosts",
    edits: [
      {
        within: "core/rules/line/turns.ts",
        find: "this.#others = slotsLeft - shareOf(slotsLeft, this.#lines.size);",
        replace: "this.#others = 0;",
      },
    ],
    suites: ["test/contract/claim-turns.test.ts"],
  },
];
