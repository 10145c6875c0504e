/** Stores that count their work. */
import { describe, test } from "node:test";

import type { Clock } from "../../src/platform/clock.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import {
  type CostOf,
  countedPostgres,
  countSqliteWork,
  postgresCostOf,
  sqliteCostOf,
} from "../support/counted-work.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { START_AT } from "../support/messages.ts";
import { postgresMissing } from "../support/postgres-url.ts";
import { Scene } from "./scene.ts";

type Declare = (
  promise: (name: string, body: (scene: Scene, costOf: CostOf) => Promise<void>) => void,
) => void;

interface CountedStore {
  readonly store: Store;
  readonly costOf: CostOf;
  readonly close: () => Promise<void>;
}

interface CountedKind {
  readonly name: string;
  readonly skip: string | false;
  open(clock: Clock): Promise<CountedStore>;
}

/** The same promises for every store, each with the counter of its work. */
export function countedContract(subject: string, declare: Declare): void {
  for (const kind of KINDS) {
    describe(`${subject}: ${kind.name}`, () => {
      declare((name, body) => {
        test(name, { skip: kind.skip }, async () => {
          const clock = new ManualClock(START_AT);
          const { store, costOf, close } = await kind.open(clock);
          try {
            await body(new Scene(store, clock), costOf);
          } finally {
            await close();
          }
        });
      });
    });
  }
}

/** SQLite on disk runs the same code as in memory, and is slow to fill. */
const KINDS: readonly CountedKind[] = [
  { name: "SQLite in memory", skip: false, open: openSqlite },
  { name: "PostgreSQL", skip: postgresMissing(), open: openPostgres },
];

async function openSqlite(clock: Clock): Promise<CountedStore> {
  countSqliteWork();
  const store = await SqliteStore.open({ path: ":memory:", clock, onFatal });
  return { store, costOf: sqliteCostOf, close: () => store.close() };
}

function onFatal(error: Error): never {
  throw error;
}

let schemas = 0;

async function openPostgres(clock: Clock): Promise<CountedStore> {
  const { url } = await countedPostgres();
  const schema = `counted_${++schemas}`;
  const store = await PostgresStore.open({ url, clock, schema, time: "given" });
  const { costOf, close: closeCounter } = await postgresCostOf(url);
  async function close(): Promise<void> {
    await closeCounter();
    await store.close();
  }
  return { store, costOf, close };
}
