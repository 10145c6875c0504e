/** A defect that a contributor might write, and the suites that must notice it. */
export interface Mutant {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** Test files that are run; one failing test in them is enough. */
  readonly suites: readonly string[];
  /** Only tests whose names, with those of their suites, match. */
  readonly only?: string;
}

/** Text that occurs once within a file or folder, named from src, and what takes its place. */
export interface Edit {
  readonly within: string;
  readonly find: string;
  readonly replace: string;
}

export const IN_MEMORY = "SQLite in memory";
export const POSTGRES = "PostgreSQL";

export const contract = (subject: string): string => `test/contract/${subject}.test.ts`;
export const HISTORIES = "test/contract/histories/histories.test.ts";
