import type { Reader } from "../reader.ts";
import type { PageRequest } from "../reader/page.ts";
import type { DriverReader } from "./driver-reader.ts";
import { ListTurns } from "./list-turns.ts";
import { everyMethod, type Read } from "./read-kinds.ts";
import { readPage, type Slice } from "./slices.ts";

/** A reader over a driver whose lists take turns between accounts. */
export function listReader(driver: DriverReader, readsMax: number): Reader {
  const turns = new ListTurns(readsMax);
  return everyMethod(({ noun, method, kind }) => {
    const reads = driver[noun] as unknown as Readonly<Record<string, Read>>;
    const read = reads[method]!;
    if (kind === "pages") {
      return (accountId, filter, page) =>
        readPage({ order: "earliestFirst", ...(page as Page) }, (slice) =>
          turns.take(accountId as string, async () => {
            return (await read(accountId, filter, slice)) as Slice<unknown>;
          }),
        );
    }
    if (kind !== "list") return read;
    return (owner, ...asked) => turns.take(accountOf(owner as Owner), () => read(owner, ...asked));
  });
}

/** Some lists have one order only, that of their ids. */
type Page = Omit<PageRequest, "order"> & Partial<PageRequest>;

type Owner = string | { readonly accountId: string };

function accountOf(owner: Owner): string {
  return typeof owner === "string" ? owner : owner.accountId;
}
