import type { MoveMark, SecretKeyMark } from "../../core/model/account/account.ts";
import type { Row } from "../records/rows.ts";
import type {
  CatalogColumn,
  MovedKey,
  MovedPage,
  MovedRow,
  MovedTable,
  RowRange,
} from "./moved-table.ts";

/** The store that a move reads. A service may use it until the move ends. */
export interface MoveSource {
  /** The move that has begun or ended here; null when there is none. */
  mark(): Promise<MoveMark | null>;
  catalog(): Promise<readonly CatalogColumn[]>;
  /** The row of an account, by which a secret key is tried; undefined when there is none. */
  firstAccount(): Promise<Row | undefined>;
  /** Which secret key encrypts what is stored; null while that is the first one. */
  secretKey(): Promise<SecretKeyMark | null>;
  /** Notes from now on which rows are changed, and leaves the mark. May be called again. */
  begin(mark: MoveMark, tables: readonly MovedTable[]): Promise<void>;
  /** Asks all nodes to start nothing and refuse changes, for a moment; null ends that. */
  standStill(pass: string | null): Promise<void>;
  /** Whether no node works on the store: each stands still or is gone, and none holds a lease. */
  isQuiet(): Promise<boolean>;
  snapshot<T>(read: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /**
   * Lets nothing be written while `finish` reads. Then nothing is ever written here again: a node
   * that tries is refused, and all of them end.
   */
  close<T>(finish: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /** Renames it once no node uses it. Null when one still does, or this user may not rename it. */
  rename(): Promise<string | null>;
  /** Forgets a move that has not ended. */
  cancel(): Promise<void>;
  release(): Promise<void>;
}

/** The source at one instant. */
export interface Snapshot {
  /** How many changes there have been. */
  readonly changes: number;
  page(table: MovedTable, range: RowRange): Promise<MovedPage>;
  /** The next changed rows after a number of changes, oldest first. */
  changedAfter(changes: number): Promise<readonly ChangedRow[]>;
  counts(tables: readonly MovedTable[]): Promise<readonly number[]>;
  numbers(): Promise<Numbers>;
}

export interface ChangedRow {
  readonly number: number;
  readonly table: string;
  readonly key: MovedKey;
}

/** What a database keeps besides its rows. */
export interface Numbers {
  /** The last number that was given to an entry of the log, a dead letter, a message in a queue. */
  readonly log: number;
  readonly "dead-letter": number;
  readonly position: number;
  /** The latest due time of a node; a node that starts later is not behind it. */
  readonly latestAt: number;
}

/** How far a move has come, as its target knows. */
export interface MoveProgress {
  readonly id: string;
  /** So many changes of the source have been made here. */
  readonly changes: number;
  /** The last key that was copied of each table; null when all of it was. */
  readonly copied: Readonly<Record<string, MovedKey | null>>;
  /** Everything has been copied and compared. */
  readonly isComplete: boolean;
}

/** What a target holds. */
export type Held =
  | { readonly kind: "nothing" }
  | { readonly kind: "progress"; readonly progress: MoveProgress }
  /** A service, which the move with this id has brought here. */
  | { readonly kind: "service"; readonly arrivedBy: string | undefined };

/** The store that a move writes. No service starts on it before the move has ended. */
export interface MoveTarget {
  held(): Promise<Held>;
  /** Makes the empty tables, and keeps services away from them. */
  prepare(progress: MoveProgress): Promise<void>;
  /** From now on only this process writes here: one that began earlier is refused. */
  take(): Promise<void>;
  catalog(): Promise<readonly CatalogColumn[]>;
  /**
   * Removes and then adds rows, reads them back and compares them, and keeps the progress, in one
   * transaction. It is durable with the next `complete`.
   */
  write(written: Written | null, progress: MoveProgress): Promise<void>;
  counts(tables: readonly MovedTable[]): Promise<readonly number[]>;
  /** Keeps the numbers of the source, and that all is there. */
  complete(numbers: Numbers, progress: MoveProgress): Promise<void>;
  /** Lets services start on it. */
  open(): Promise<void>;
  release(): Promise<void>;
}

export interface Written {
  readonly table: MovedTable;
  readonly removed: readonly MovedKey[];
  readonly added: readonly MovedRow[];
}
