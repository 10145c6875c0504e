import { contract, IN_MEMORY, type Mutant } from "./mutant.ts";

/** Defects of the rules and of what both stores share. */
export const RULE_MUTANTS: readonly Mutant[] = [
  {
    name: "a settlement does not check the fence",
    edits: [
      {
        within: "core/rules/message/settle.ts",
        find: 'state?.fence === lease.fence && state.phase === "active" ? state',
        replace: 'state?.phase === "active" ? state',
      },
    ],
    suites: [contract("leases")],
    only: IN_MEMORY,
  },
  {
    name: "deduplication never expires",
    edits: [
      {
        within: "store/group/working-set.ts",
        find: "holder !== undefined && isHeld(holder, this.due.of(at)) ? holder : null",
        replace: "holder ?? null",
      },
    ],
    suites: [contract("publish")],
    only: IN_MEMORY,
  },
  {
    name: "cancel ignores a live lease",
    edits: [
      {
        within: "core/rules/message/end-message.ts",
        find: `if (state.phase === "waiting") return`,
        replace: `if (state.phase === "waiting" || state.losses >= 0) return`,
      },
    ],
    suites: [contract("cancel")],
    only: IN_MEMORY,
  },
  {
    name: "callers are answered before their group is written",
    edits: [
      {
        within: "store/group/group-commit.ts",
        find: "      const results = await this.#options.write(",
        replace:
          "      for (const { resolve } of group) resolve(undefined as never);\n      const results = await this.#options.write(",
      },
    ],
    suites: [contract("groups")],
  },
  {
    name: "sending: groups are counted without the account's lock",
    edits: [
      {
        within: "core/rules/url-group/url-groups.ts",
        find: "    accounts: [key.accountId],\n",
        replace: "",
      },
    ],
    suites: [contract("postgres/url-groups")],
  },
];
