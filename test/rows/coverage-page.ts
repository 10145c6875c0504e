import { ROW_MUTANTS } from "../mutants/row-mutants.ts";
import { rowName } from "./row-tests.ts";
import { SECTIONS } from "./specification.ts";

/** Where each row of the specification is shown, as docs/reference/coverage.md lists it. */
export function coverageRows(): string[][] {
  const planted = new Set(ROW_MUTANTS.map(({ row }) => row));
  return SECTIONS.flatMap(({ number, title, file, rows }) =>
    rows.map((row) => [
      number,
      title,
      `\`${row}\``,
      `\`${file}\``,
      planted.has(rowName(number, row)) ? "yes" : "",
    ]),
  );
}
