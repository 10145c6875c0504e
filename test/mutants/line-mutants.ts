import { contract, HISTORIES, IN_MEMORY, type Mutant, POSTGRES } from "./mutant.ts";

/** Defects of queues and flow-control keys. */
export const LINE_MUTANTS: readonly Mutant[] = [
  {
    name: "a paused queue goes on with its retries",
    edits: [
      {
        within: "store/sqlite",
        find: "if (this.#sql.isPaused.get(accountId, queue) === undefined) return false;",
        replace: "if (accountId !== queue) return false;",
      },
    ],
    suites: [contract("queues")],
    only: IN_MEMORY,
  },
  {
    name: "a key is forgotten while a message in a queue will come to it",
    edits: [
      {
        within: "store/sqlite",
        find: "WHERE account_id = $1 AND line_after = $2 AND line_after >= 'k:'",
        replace: "WHERE false AND account_id = $1 AND line_after = $2 AND line_after >= 'k:'",
      },
    ],
    suites: [contract("line-settings")],
    only: IN_MEMORY,
  },
  {
    name: "messages of one group do not see what the others took of a line",
    edits: [
      {
        within: "store/group/line-rows.ts",
        find: "held: snapshot.held + 1",
        replace: "held: snapshot.held",
      },
    ],
    suites: [contract("immediate-lease")],
    only: IN_MEMORY,
  },
  {
    name: "a message goes through a line though its account is counted",
    edits: [
      {
        within: "store/sqlite/group/load.ts",
        find: "(halted = 1 OR parallelism_max IS NOT NULL)",
        replace: "halted = 1",
      },
    ],
    suites: [contract("immediate-lease"), HISTORIES],
    only: IN_MEMORY,
  },
  {
    name: "a claim serves a line that a writer is letting a message through",
    edits: [
      {
        within: "store/postgres/claim/lines.ts",
        find: 'row["own"] === true',
        replace: 'row["own"] !== 1',
      },
    ],
    suites: ["test/contract/postgres/immediate-lease.test.ts"],
  },
  {
    name: "two writers lease from a line at the same time",
    edits: [
      {
        within: "store/postgres/group/line-rooms.ts",
        find: "ELSE pg_try_advisory_xact_lock($5::int, k.number) END AS own",
        replace: "ELSE $5::int > 0 AND k.number IS NOT NULL END AS own",
      },
    ],
    suites: ["test/contract/postgres/immediate-lease.test.ts"],
  },
  {
    name: "a writer never waits for the room of a key",
    edits: [
      {
        within: "store/postgres/group/line-rooms.ts",
        find: "const waits = wait.isAllowed && lines.some(isKey);",
        replace: "const waits = wait.isAllowed && lines.length > LINES_TRIED_MAX;",
      },
    ],
    suites: ["test/contract/postgres/immediate-lease.test.ts"],
  },
  {
    name: "each writer waits again for a key of a node that has stopped",
    edits: [
      {
        within: "store/postgres/group/line-rooms.ts",
        find: "wait.wasInVain();",
        replace: "wait.isAllowed;",
      },
    ],
    suites: ["test/contract/postgres/immediate-lease.test.ts"],
  },
  {
    name: "behind a wait for a room locks are given up sooner",
    edits: [
      {
        within: "store/postgres/group/line-rooms.ts",
        find: "SELECT locked, set_config('lock_timeout', $7, true) FROM (",
        replace: "SELECT locked, $7::text FROM (",
      },
    ],
    suites: ["test/contract/postgres/immediate-lease.test.ts"],
  },
  {
    name: "a message that its queue leased at once has no position in it",
    edits: [
      {
        within: "store/sqlite/group/write.ts",
        find: "({ rootId, messageId }) => (rootId === messageId ?",
        replace: "({ lineAfter }) => (lineAfter !== null ?",
      },
    ],
    suites: [contract("immediate-lease")],
    only: IN_MEMORY,
  },
  {
    name: "a queue goes past a message that another transaction has locked",
    edits: [
      {
        within: "store/postgres/claim/claim-sql.ts",
        find: "heads WHERE found = turn",
        replace: "heads WHERE found > 0",
      },
    ],
    suites: [contract("busy-rows")],
  },
  {
    name: "a suspect leaves its queue as any other message does",
    edits: [
      {
        within: "store/postgres/claim/claim-sql.ts",
        find: "NOT suspect AND line_after < 'h;'",
        replace: "line_after < 'h;'",
      },
    ],
    suites: [contract("leaving-queues")],
    only: POSTGRES,
  },
  {
    name: "a message passes those that wait for its host since it comes from a queue",
    edits: [
      {
        within: "store/postgres/claim/claim-sql.ts",
        find: "SELECT next_at IS NOT NULL OR NOT emptied FROM lines",
        replace: "SELECT false FROM lines",
      },
    ],
    suites: [contract("leaving-queues")],
    only: POSTGRES,
  },
  {
    name: "PostgreSQL visits a line again that it has emptied",
    edits: [
      {
        within: "store/postgres/claim/reschedule-lines.ts",
        find: "isWhole: line.readyFrom === 0",
        replace: "isWhole: line.readyFrom === -1",
      },
    ],
    suites: [contract("lines")],
    only: POSTGRES,
  },
  {
    name: "PostgreSQL postpones a line though a message was added in the meantime",
    edits: [
      {
        within: "store/postgres/claim/reschedule-lines.ts",
        find: "again ? { ...visit, left: again.state } : visit",
        replace: "again ? visit : visit",
      },
    ],
    suites: ["test/contract/postgres/postponed-lines.test.ts"],
  },
  {
    name: "PostgreSQL reads every line that is shut to open a few",
    edits: [
      {
        within: "store/postgres/group/write-lines.ts",
        find: "WHERE lines.ctid = freed.ctid AND lines.next_at IS NULL",
        replace:
          "WHERE lines.account_id = freed.account_id AND lines.line = freed.line AND lines.next_at IS NULL",
      },
    ],
    suites: ["test/contract/postgres/kept-plans.test.ts"],
  },
  {
    name: "all that holds one slot of a queue is counted",
    edits: [
      {
        within: "store/sqlite",
        find: "count(DISTINCT h.root_id)",
        replace: "count(*)",
      },
    ],
    suites: [contract("queue-slots")],
    only: IN_MEMORY,
  },
  {
    name: "all that holds one slot of a queue is counted (PostgreSQL)",
    edits: [
      {
        within: "store/postgres",
        find: "AND message_id < h.message_id",
        replace: "AND message_id <> message_id",
      },
    ],
    suites: [contract("queue-slots")],
    only: POSTGRES,
  },
  {
    name: "the reports of a message that went back into its queue hold the slot",
    edits: [
      {
        within: "store/sqlite",
        find: "AND message_id = h.root_id) IS NULL)`",
        replace: "AND message_id = h.root_id) IS NULL OR TRUE)`",
      },
    ],
    suites: [contract("queue-slots")],
    only: IN_MEMORY,
  },
  {
    name: "PostgreSQL finds what a row belongs to by its account",
    edits: [
      {
        within: "store/postgres/group/rows-by-key.ts",
        find: '`${column} = ${other}.${column}`).join(" AND ")',
        replace: "`${column} || '' = ${other}.${column}`).join(\" AND \")",
      },
    ],
    suites: ["test/contract/postgres/kept-plans.test.ts"],
  },
  {
    name: "PostgreSQL finds the rows of a run by its account",
    edits: [
      {
        within: "store/postgres/group/rows-by-key.ts",
        find: "(${row}) >= (${given}) AND (${row}) <= (${given})",
        replace: "(${row}) = (${given})",
      },
    ],
    suites: ["test/contract/postgres/kept-run-plans.test.ts"],
  },
  {
    name: "a later message keeps a queue shut (SQLite)",
    edits: [
      {
        within: "store/sqlite/group/write.ts",
        find: "(next_at IS NULL AND emptied = 1)`",
        replace: "next_at IS NULL`",
      },
    ],
    suites: [contract("lines")],
    only: IN_MEMORY,
  },
  {
    name: "a suspect goes back into its paused queue again and again",
    edits: [
      {
        within: "store/sqlite/claim/claim-sql.ts",
        find: "ready_at <= ? AND line_after IS NULL\n    ORDER BY ready_at",
        replace: "ready_at <= ?\n    ORDER BY ready_at",
      },
    ],
    suites: [contract("queues")],
    only: IN_MEMORY,
  },
];
