import { contract, IN_MEMORY, type Mutant } from "./mutant.ts";

const suites = [contract("body-pieces")];
const only = IN_MEMORY;

/** Defects of how the beginning of a large report is stored, read and removed. */
export const PIECE_MUTANTS: readonly Mutant[] = [
  {
    name: "pieces: they leave before a report that begins with them",
    edits: [
      {
        within: "store/sqlite/upkeep/sweep.ts",
        find: "WHERE source_id = e.message_id AND account_id = $1)), NULL)",
        replace: "WHERE source_id = e.message_id AND account_id = $1 AND false)), NULL)",
      },
    ],
    suites,
    only,
  },
  {
    name: "pieces: they stay when their message leaves",
    edits: [
      {
        within: "store/upkeep/sweep.ts",
        find: "[sql.removeLog, sql.removeFacts, sql.removePieces]",
        replace: "[sql.removeLog, sql.removeFacts]",
      },
    ],
    suites,
    only,
  },
  {
    name: "pieces: a lease that is gone stores one",
    edits: [
      {
        within: "core/rules/message/keep-piece.ts",
        find: "held(lease, rows) === null",
        replace: "rows.message(lease) === null",
      },
    ],
    suites,
    only,
  },
  {
    name: "pieces: those of the attempt before are sent",
    edits: [
      {
        within: "core/rules/message/callback.ts",
        find: "{ attempt: act.attempt.number, bytes }",
        replace: "{ attempt: 1, bytes }",
      },
    ],
    suites: ["src/engine/dispatch/report-pieces.test.ts"],
  },
  {
    name: "pieces: what an earlier try has left is sent",
    edits: [
      {
        within: "store/reads/body-pieces.ts",
        find: ".slice(0, Math.ceil(bytes / PIECE_BYTES))",
        replace: ".slice(0, Math.ceil(bytes * PIECE_BYTES))",
      },
    ],
    suites,
    only,
  },
  {
    name: "pieces: a body that is read in part misses the end of one",
    edits: [
      {
        within: "store/reads/body-pieces.ts",
        find: "Math.floor((from + count - 1) / PIECE_BYTES)",
        replace: "Math.floor(from / PIECE_BYTES)",
      },
    ],
    suites,
    only,
  },
  {
    name: "pieces: an earlier program may open a store that holds some",
    edits: [
      {
        within: "store/sqlite/group/write.ts",
        find: "if (rows.bodyPieces.size > 0) this.#statements.needPieces.run();",
        replace: "",
      },
    ],
    suites: [contract("sqlite/durable")],
  },
];
