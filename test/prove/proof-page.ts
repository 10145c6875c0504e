/** docs/internals/proof.md: one row for each proof, with the day and the machine that it ran on. */

export interface ProofRow {
  readonly name: string;
  readonly result: string;
  /** As YYYY-MM-DD; empty for a proof that has not run yet. */
  readonly date: string;
  readonly machine: string;
}

/** The whole page. A proof without a row is shown as not run; a row without a proof is left out. */
export function proofPage(names: readonly string[], rows: readonly ProofRow[]): string {
  const byName = new Map(rows.map((row) => [row.name, row]));
  const shown = names.map((name) => line(byName.get(name) ?? notRun(name)));
  return [HEAD, ...shown, ""].join("\n");
}

/** The rows of a page that was written by `proofPage`. */
export function readProofRows(page: string): ProofRow[] {
  const cells = page.split("\n").map((text) => text.split(/(?<!\\)\|/).map((cell) => cell.trim()));
  return cells
    .filter((row) => row.length === 6 && row[1] !== "Proof" && !/^-+$/.test(row[1] ?? ""))
    .map(([, name = "", result = "", date = "", machine = ""]) => ({
      name,
      result: result.replaceAll("\\|", "|"),
      date,
      machine,
    }));
}

/** The rows with one of them replaced, or added. */
export function withRow(rows: readonly ProofRow[], row: ProofRow): ProofRow[] {
  return [...rows.filter(({ name }) => name !== row.name), row];
}

function line({ name, result, date, machine }: ProofRow): string {
  const text = result.replaceAll(/\s+/g, " ").slice(0, RESULT_MAX).replaceAll("|", "\\|");
  return `| ${[name, text, date, machine].join(" | ")} |`;
}

function notRun(name: string): ProofRow {
  return { name, result: "not run yet", date: "", machine: "" };
}

/** What a failed proof says may be a whole stack. */
const RESULT_MAX = 1_000;

const HEAD = `# Proof

\`npm run prove\` writes this page. It replaces the rows of the proofs that it ran and keeps the others.
[What each proof does](../explanation/proofs.md).

| Proof | Result | Date | Machine |
| --- | --- | --- | --- |`;
