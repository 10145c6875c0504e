import type { AccountRecord } from "../../core/model/account/account.ts";
import { dayOf } from "../../core/model/account/daily-count.ts";
import type { LimitField } from "../../core/policy/limits/limits.ts";
import type { Context } from "../context.ts";

/** How much of a limit is used. */
export interface LimitUsage {
  readonly field: LimitField;
  readonly used: number;
}

/** How much an account uses of each limit that is a number of things. */
export async function readUsage(
  { store, clock }: Context,
  { accountId }: AccountRecord,
): Promise<readonly LimitUsage[]> {
  const { accounts, messages } = store.reader;
  const today = dayOf(clock.now());
  const [{ queues, urlGroups, schedules, deadLetters }, active, [day]] = await Promise.all([
    accounts.usage(accountId),
    messages.underWay(accountId),
    accounts.dailyCounts(accountId, today),
  ]);
  const messagesToday = day?.messages ?? 0;
  return [
    { field: "requestsPerDaySoft", used: messagesToday },
    { field: "requestsPerDayHard", used: messagesToday },
    { field: "parallelismMax", used: active },
    { field: "queuesMax", used: queues },
    { field: "urlGroupsMax", used: urlGroups },
    { field: "schedulesMax", used: schedules },
    { field: "deadLettersMax", used: deadLetters },
  ];
}
