import type { SequenceNumbers } from "../../move/source-sql.ts";

/** The sequence that has each kind of number, which SQLite keeps in a table. */
const SEQUENCES: Readonly<Record<keyof SequenceNumbers, string>> = {
  log: "log_numbers",
  "dead-letter": "dead_letter_numbers",
  position: "queue_positions",
};

const ENTRIES = Object.entries(SEQUENCES) as [keyof SequenceNumbers, string][];

export const LAST_NUMBERS_SQL = `SELECT ${ENTRIES.map(
  ([name, sequence]) => `(SELECT last_value FROM ${sequence}) AS "${name}"`,
).join(", ")}`;

/** A sequence begins with 1, a number that no row of SQLite has when it was never drawn. */
export function setNumbersSql(numbers: SequenceNumbers): string {
  const calls = ENTRIES.map(
    ([name, sequence]) => `setval('${sequence}', ${Math.max(1, numbers[name])})`,
  );
  return `SELECT ${calls.join(", ")}`;
}
