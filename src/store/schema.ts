import { readdirSync, readFileSync } from "node:fs";

/** The number of this program; a schema says which is the oldest that may use it. */
export const PROGRAM = 3;

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

/** The migrations of a folder in their order: `NNNN-verb-noun.sql`, without a gap. */
export function readMigrations(folder: URL): Migration[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return names.toSorted().map((name, index) => {
    const number = Number(name.slice(0, 4));
    if (number !== index + 1) throw new Error(`migration ${name} is out of order`);
    return { number, name, sql: readFileSync(new URL(name, folder), "utf8") };
  });
}

/** Refuses a store that only newer programs may use. */
export function requireProgram(oldestProgram: number): void {
  if (oldestProgram > PROGRAM) {
    throw new Error(
      `the store was upgraded by a newer postrider (it needs program ${oldestProgram}, this is ${PROGRAM}); upgrade this one`,
    );
  }
}
