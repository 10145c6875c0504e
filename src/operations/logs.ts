import type { Account } from "../core/model/account.ts";
import type { LogFilter } from "../core/model/log-filter.ts";
import type { LoggedMessage } from "../store/reader.ts";
import type { ListQuery } from "../wire/filters.ts";
import type { Context } from "./context.ts";
import { type Listed, listed, pageRequest } from "./pages.ts";

/** Log entries of an account, a page at a time. */
export async function listLog(
  context: Context,
  { accountId, limits }: Account,
  query: ListQuery<LogFilter>,
): Promise<Listed<LoggedMessage>> {
  const request = {
    ...pageRequest(context, "logs", query),
    bodyBytesMax: limits.eventBytesMax,
  };
  return listed(context, "logs", await context.store.reader.log(accountId, query.filter, request));
}
