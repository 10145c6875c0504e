import type { OptionNames } from "../option-names.ts";
import { type Selection, selectionQuery, selectsNothing } from "../selection.ts";
import type { Query, Transport } from "../transport.ts";
import type { BulkCount as DryRun } from "../answers/dead-letter.ts";

/** How many a bulk call would change. */
export type BulkCount = Omit<DryRun, "dryRun">;

/** A bulk call, and what it may select. */
export interface BulkCall<Filter> {
  readonly method: "DELETE" | "POST";
  readonly path: string;
  readonly idsName: string;
  readonly filter: OptionNames<Filter>;
}

/** Asks how many a bulk call would change. */
export async function countOf<Filter extends object>(
  transport: Transport,
  { method, path, idsName, filter }: BulkCall<Filter>,
  selection: Selection<Filter>,
): Promise<BulkCount> {
  if (selectsNothing(selection)) return { count: 0, isAbout: false };
  const query: Query = { ...selectionQuery(selection, idsName, filter), dryRun: true };
  const { count, isAbout } = await transport.json<BulkCount>({ method, path, query });
  // The service takes one count for all that match, since another client always sends it.
  const countMax = query["count"];
  if (typeof countMax !== "number" || count < countMax) return { count, isAbout };
  return { count: countMax, isAbout: false };
}
