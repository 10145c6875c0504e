import { READ_METHODS } from "../../reads/read-kinds.ts";
import type { GrantedLease } from "../../../core/model/message/message.ts";
import { LEASED_SQL, readLeased } from "../../reads/leased.ts";
import { threadReader } from "../reads/reader.ts";
import { snapshotReader } from "../reads/run-reading.ts";
import type { Database } from "./connection.ts";

type Method = (...asked: never[]) => unknown;

/** Everything that reads, by the names that the main thread calls. */
export function readingMethods(database: Database): Readonly<Record<string, Method>> {
  const reader = threadReader(database);
  const run = snapshotReader(database, [LEASED_SQL]);
  const methods = READ_METHODS.map(({ name, noun, method }): [string, Method] => {
    const reads = reader[noun] as unknown as Readonly<Record<string, Method>>;
    return [name, (...asked) => reads[method]!(...asked)];
  });
  return {
    ...Object.fromEntries(methods),
    ready: () => true,
    leased: (claimed: readonly GrantedLease[]) => run(readLeased(claimed)),
    close: () => {
      database.close();
    },
  };
}
