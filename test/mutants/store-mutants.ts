import { contract, HISTORIES, IN_MEMORY, type Mutant, POSTGRES } from "./mutant.ts";

/** The second half of a settlement, written when the first has been committed. */
const LATE_FOLLOW_UPS = `
      const late = acts[0]?.rule === "settle" ? loaded.added.splice(0) : [];
      for (const { state } of late) loaded.inserted.delete(state.accountId + "\\0" + state.messageId);
      queueMicrotask(() => {
        const more = new loaded.constructor();
        more.apply(late.map((message) => ({ type: "message.added", message })));
        try { transaction(this.#database, () => this.#write.write(more, time.now)); } catch {}
      });
      const freedSlot = this.#write.write(loaded, time.now + time.aheadMs);`;

/** Defects of the two stores. */
export const STORE_MUTANTS: readonly Mutant[] = [
  {
    name: "SQLite answers before the commit",
    edits: [
      {
        within: "store/sqlite",
        find: `database.exec("COMMIT");`,
        replace: `queueMicrotask(() => database.exec("COMMIT"));`,
      },
    ],
    suites: ["test/contract/sqlite/durable.test.ts"],
  },
  {
    name: "SQLite runs with synchronous NORMAL",
    edits: [
      {
        within: "store/sqlite",
        find: "PRAGMA synchronous = FULL;\n",
        replace: "PRAGMA synchronous = NORMAL;\n",
      },
      {
        within: "store/sqlite",
        find: `row?.["synchronous"] !== 2`,
        replace: `row?.["synchronous"] !== 1`,
      },
    ],
    suites: ["test/contract/sqlite/durable.test.ts"],
  },
  {
    name: "SQLite stays with synchronous NORMAL after a claim",
    edits: [
      {
        within: "store/sqlite",
        find: `database.exec("PRAGMA synchronous = FULL");`,
        replace: `database.exec("PRAGMA synchronous = NORMAL");`,
      },
    ],
    suites: ["test/contract/sqlite/durable.test.ts"],
  },
  {
    name: "callbacks are written outside the transaction",
    edits: [
      {
        within: "store/sqlite",
        find: "\n      const freedSlot = this.#write.write(loaded, time.now + time.aheadMs);",
        replace: LATE_FOLLOW_UPS,
      },
    ],
    suites: [contract("settle")],
    only: IN_MEMORY,
  },
  {
    name: "one faulty act fails its whole group",
    edits: [
      {
        within: "store/sqlite",
        find: "const single = acts.map((act) => this.group([act], time));",
        replace:
          "const single = [{ results: acts.map(() => ({ ok: false, error })), freedSlot: false }];",
      },
    ],
    suites: [contract("groups")],
    only: IN_MEMORY,
  },
  {
    name: "a claim does not raise the fence",
    edits: [
      {
        within: "store/sqlite",
        find: "fence = fence + 1,",
        replace: "fence = fence,",
      },
    ],
    suites: [contract("claim"), contract("leases")],
    only: IN_MEMORY,
  },
  {
    name: "suspects run side by side",
    edits: [
      {
        within: "store/sqlite",
        find: " || this.#sql.activeSuspect.get() !== undefined",
        replace: "",
      },
    ],
    suites: [contract("take-over")],
    only: IN_MEMORY,
  },
  {
    name: "the log shows another account's entries",
    edits: [
      {
        within: "store/sqlite/reads/messages.ts",
        find: " AND account_id = ?1",
        replace: "",
      },
    ],
    suites: [contract("reads")],
    only: IN_MEMORY,
  },
  {
    name: "a page of the log begins with the entry that the last one ended with",
    edits: [
      { within: "store/records/log-step.ts", find: "number > start", replace: "number >= start" },
    ],
    suites: [contract("reads")],
    only: IN_MEMORY,
  },
  {
    name: "an entry is lost when it is written together with another",
    edits: [
      {
        within: "store/records/log-step.ts",
        find: "return next === null ? [first] :",
        replace: "return next !== null ? [first] :",
      },
    ],
    suites: [HISTORIES],
    only: IN_MEMORY,
  },
  {
    name: "another account's message can be read",
    edits: [
      {
        within: "store/reads/leased.ts",
        find: `"SELECT facts, body FROM facts WHERE account_id = $1 AND`,
        replace: `"SELECT facts, body FROM facts WHERE (account_id = $1 OR created_at > 0) AND`,
      },
    ],
    suites: [contract("reads")],
    only: IN_MEMORY,
  },
  {
    name: "a queue goes by ids",
    edits: [
      {
        within: "store/sqlite/claim/claim-sql.ts",
        find: "ORDER BY position LIMIT",
        replace: "ORDER BY message_id LIMIT",
      },
    ],
    suites: [contract("queues")],
    only: IN_MEMORY,
  },
  {
    name: "a cancelled message is remembered as it was before",
    edits: [
      {
        within: "store/sqlite",
        find: "for (const { messageId } of rows.updated.values()) this.#states.delete(messageId);",
        replace: "",
      },
    ],
    suites: [HISTORIES],
    only: IN_MEMORY,
  },
  {
    name: "a lease that was taken over is remembered as held",
    edits: [
      {
        within: "store/sqlite",
        find: "this.#active.forget();\n    return this.#takeOver",
        replace: "return this.#takeOver",
      },
    ],
    suites: [HISTORIES],
    only: IN_MEMORY,
  },
  {
    name: "a node that has beaten since is taken over",
    edits: [
      {
        within: "store/sqlite",
        find: "WHERE node_id = ? AND beats > ?",
        replace: "WHERE node_id = ? AND beats > ? + 1000",
      },
    ],
    suites: [contract("take-over")],
    only: IN_MEMORY,
  },
  {
    name: "sweeping removes what still lives",
    edits: [
      {
        within: "store/upkeep/sweep.ts",
        find: `!row["kept"]`,
        replace: `row["kept"] !== null`,
      },
    ],
    suites: [contract("sweep")],
    only: IN_MEMORY,
  },
  {
    name: "PostgreSQL waits for lines that others are serving (SKIP LOCKED removed)",
    edits: [
      {
        within: "store/postgres/claim/claim-sql.ts",
        find: "FROM lines WHERE ${hasKey(LINE_KEY)} FOR UPDATE SKIP LOCKED",
        replace: "FROM lines WHERE ${hasKey(LINE_KEY)} FOR UPDATE",
      },
    ],
    suites: [contract("busy-rows")],
  },
  {
    name: "PostgreSQL waits for lines that others are serving, when many are due",
    edits: [
      {
        within: "store/postgres/claim/claim-sql.ts",
        find: "LIMIT $8 FOR UPDATE SKIP LOCKED",
        replace: "LIMIT $8 FOR UPDATE",
      },
    ],
    suites: [contract("busy-rows")],
  },
  {
    name: "PostgreSQL lets a deduplication key be taken while it is held",
    edits: [
      {
        within: "store/postgres/group/deduplicate.ts",
        find: "!isHeld(holder, requests.get(key)?.lastAt ?? Infinity)",
        replace: "holder.expiresAt <= Infinity",
      },
      {
        within: "store/postgres/group/deduplicate.ts",
        find: "WHERE deduplications.expires_at <= $5",
        replace: "WHERE deduplications.expires_at <= $5 + 1000000",
      },
    ],
    suites: [contract("publish")],
    only: POSTGRES,
  },
  {
    name: "PostgreSQL prepares statements behind a pooler",
    edits: [
      {
        within: "store/postgres/driver/prepared.ts",
        find: "if (promised === processId) this",
        replace: "if (promised !== processId + 0.5) this",
      },
    ],
    suites: ["test/contract/postgres/prepared.test.ts"],
  },
  {
    name: "runs: a name means whichever of its runs the group has seen",
    edits: [
      {
        within: "store/sqlite/group/load.ts",
        find: "const found = needs.flatMap(({ ref }) => {",
        replace: `const found = needs.flatMap(({ ref }, index) => {
          if (needs.findIndex((need) => need.ref.runId === ref.runId) < index) return [];`,
      },
    ],
    suites: [contract("runs")],
    only: IN_MEMORY,
  },
  {
    name: "hooks: a wait for an event takes a call that came before",
    edits: [
      {
        within: "store/records/run-tables.ts",
        find: `isHook: "boolean"`,
        replace: `isHook: { type: "boolean", write: () => false, read: Boolean }`,
      },
    ],
    suites: [contract("waits")],
    only: IN_MEMORY,
  },
];
