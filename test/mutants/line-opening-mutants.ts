import { contract, IN_MEMORY, POSTGRES, type Mutant } from "./mutant.ts";

/** Defects of who is looked at, and when: lines that are due, shut or changed. */
export const LINE_OPENING_MUTANTS: readonly Mutant[] = [
  {
    name: "PostgreSQL does not open a queue whose slot comes free",
    edits: [
      {
        within: "store/postgres/group/write-lines.ts",
        find: "for (const line of lines.freed.values()) lineIn(put, line).freedAt = now;",
        replace: "",
      },
    ],
    suites: [contract("queues")],
    only: POSTGRES,
  },
  {
    name: "PostgreSQL does not see that a message waits for a slot",
    edits: [
      {
        within: "store/postgres/group/write-lines.ts",
        find: "AND next_at IS NULL AND NOT emptied LIMIT 1)",
        replace: "AND next_at IS NULL AND emptied LIMIT 1)",
      },
    ],
    suites: [contract("queues")],
    only: POSTGRES,
  },
  {
    name: "PostgreSQL makes lines due that are not shut when only slots came free",
    edits: [
      {
        within: "store/postgres/group/write-lines.ts",
        find: "AND lines.next_at IS NULL AND NOT lines.emptied`",
        replace: "AND NOT lines.emptied`",
      },
    ],
    suites: [contract("lines")],
    only: POSTGRES,
  },
  {
    name: "PostgreSQL opens no line when only slots came free",
    edits: [
      {
        within: "store/postgres/group/write-lines.ts",
        find: "return makeDue(session, lines.freed, now);",
        replace: "return makeDue(session, new Map(), now);",
      },
    ],
    suites: [contract("queues")],
    only: POSTGRES,
  },
  {
    name: "PostgreSQL makes lines due that are not shut",
    edits: [
      {
        within: "store/postgres/group/write-lines.ts",
        find: "ELSE least(k.due_at, CASE",
        replace: "ELSE least(k.due_at, k.freed_at, CASE",
      },
    ],
    suites: [contract("lines")],
    only: POSTGRES,
  },
  {
    name: "PostgreSQL visits lines in which no message waits",
    edits: [
      {
        within: "store/postgres/group/write-lines.ts",
        find: "CASE WHEN l.next_at IS NOT NULL THEN k.changed_at END",
        replace: "k.changed_at",
      },
    ],
    suites: [contract("claim")],
    only: POSTGRES,
  },
  {
    name: "PostgreSQL forgets that a limit which opens later has changed",
    edits: [
      {
        within: "store/postgres/group/write-lines.ts",
        find: "CASE WHEN l.next_at IS NOT NULL THEN k.changed_at END",
        replace: "NULL::bigint",
      },
    ],
    suites: [contract("lines")],
    only: POSTGRES,
  },
  {
    name: "SQLite forgets that a limit which opens later has changed",
    edits: [
      {
        within: "store/sqlite/group/write.ts",
        find: "AND (next_at > ?3 OR (next_at IS NULL AND emptied = 0))",
        replace: "AND next_at IS NULL AND emptied = 0",
      },
    ],
    suites: [contract("lines")],
    only: IN_MEMORY,
  },
  {
    name: "a later message keeps a queue shut (PostgreSQL)",
    edits: [
      {
        within: "store/postgres/group/write-lines.ts",
        find: "THEN least(k.freed_at, k.changed_at)",
        replace: "THEN least(k.due_at, k.freed_at, k.changed_at)",
      },
    ],
    suites: [contract("lines")],
    only: POSTGRES,
  },
  {
    name: "a suspect that went back into a full queue is forgotten",
    edits: [
      {
        within: "store/sqlite/claim/lines.ts",
        find: `lineKind(line) === "queue") left`,
        replace: `lineKind(line) === "host") left`,
      },
    ],
    suites: [contract("queues")],
    only: IN_MEMORY,
  },
];
