import { READ_METHODS } from "../../reads/read-kinds.ts";
import { LeasedReads } from "../reads/leased.ts";
import { threadReader } from "../reads/reader.ts";
import type { Database } from "./connection.ts";

type Method = (...asked: never[]) => unknown;

/** Everything that reads, by the names that the main thread calls. */
export function readingMethods(database: Database): Readonly<Record<string, Method>> {
  const reader = threadReader(database);
  const leased = new LeasedReads(database);
  const methods = READ_METHODS.map(({ name, noun, method }): [string, Method] => {
    const reads = reader[noun] as unknown as Readonly<Record<string, Method>>;
    return [name, (...asked) => reads[method]!(...asked)];
  });
  return {
    ...Object.fromEntries(methods),
    ready: () => true,
    leased: leased.leased.bind(leased),
    close: () => {
      database.close();
    },
  };
}
