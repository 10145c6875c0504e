import type { Database } from "./connection.ts";
import { SqliteList } from "./list.ts";
import { SqliteRead } from "./read.ts";

export type ReadingMethods = ReturnType<typeof readingMethods>;

/** Everything that reads, by the names under which it is called from the main thread. */
export function readingMethods(database: Database) {
  const read = new SqliteRead(database);
  const list = new SqliteList(database, read);
  return {
    ready: () => true,
    account: read.account.bind(read),
    accountByToken: read.accountByToken.bind(read),
    message: read.message.bind(read),
    deadLetter: read.deadLetter.bind(read),
    leases: read.leases.bind(read),
    counts: read.counts.bind(read),
    size: read.size.bind(read),
    leased: read.leased.bind(read),
    log: list.log.bind(list),
    deadLetters: list.deadLetters.bind(list),
    close: () => {
      database.close();
    },
  };
}
