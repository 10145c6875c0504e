import type { Account } from "../../core/model/account/account.ts";
import type { LogFilter } from "../../core/model/message/log-filter.ts";
import type { LoggedMessage } from "../../store/reader/messages.ts";
import type { ListQuery } from "../../wire/filters/filters.ts";
import type { Context } from "../context.ts";
import { type Listed, listDated } from "../pages.ts";

/** Log entries of an account, a page at a time. */
export async function listLog(
  context: Context,
  { accountId, limits }: Account,
  query: ListQuery<LogFilter>,
): Promise<Listed<LoggedMessage>> {
  return listDated(context, "logs", query, (filter, page) =>
    context.store.reader.messages.log(accountId, filter, {
      ...page,
      bodyBytesMax: limits.eventBytesMax,
    }),
  );
}
