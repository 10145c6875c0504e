import { type PartName, PARTS } from "../results/benchmark-parts.ts";
import type { BenchmarkResult, Circumstances, Row } from "../results/results.ts";

/** What was measured in one call of the command. */
export class Findings {
  readonly #rows = new Map<PartName, Row[]>();
  readonly #notes = new Map<PartName, string[]>();

  add(part: PartName, row: Row): void {
    const wanted = PARTS[part].heading.length;
    if (row.cells.length !== wanted) throw new Error(`a row of ${part} has ${wanted} cells`);
    this.#rows.set(part, [...this.rows(part), row]);
  }

  /** A sentence below the table, such as what could not be measured here. */
  note(part: PartName, text: string): void {
    this.#notes.set(part, [...this.notes(part), text]);
  }

  rows(part: PartName): readonly Row[] {
    return this.#rows.get(part) ?? [];
  }

  notes(part: PartName): readonly string[] {
    return this.#notes.get(part) ?? [];
  }

  /** The parts with at least one row. */
  results(
    ran: Circumstances & { readonly command: string; readonly setting: string },
  ): Partial<Record<PartName, BenchmarkResult>> {
    const parts = [...this.#rows.keys()];
    return Object.fromEntries(
      parts.map((part) => [part, { ...ran, rows: this.rows(part), notes: this.notes(part) }]),
    );
  }
}
