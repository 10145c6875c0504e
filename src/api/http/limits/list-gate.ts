import { Problem } from "../../../core/problem.ts";
import { Budget } from "../../../platform/budget.ts";
import type { Clock } from "../../../platform/clock.ts";
import { PAGE_BYTES_MAX } from "../../../store/reader/page.ts";
import type { Answer } from "../answers/answer.ts";
import type { AccountCall, AccountRoute, Api } from "../server/call.ts";
import { chargeUnlessGone } from "./answer-budget.ts";

/** Lists of an account in progress at once; and as many bulk changes. */
export const LISTS_AT_ONCE_MAX = 4;
export const LIST_WAIT_MS_MAX = 10_000;

export function createListGate(clock: Clock): Budget {
  const refusal = (): Problem => {
    const resetAtSeconds = Math.floor(clock.now() / 1_000) + 1;
    const rate = { limit: LISTS_AT_ONCE_MAX, remaining: 0, resetAtSeconds };
    const sentence = `too many lists at once, current limit: ${LISTS_AT_ONCE_MAX}`;
    return new Problem("burst-limit", sentence, 1, rate);
  };
  return new Budget({
    clock,
    ownerMax: LISTS_AT_ONCE_MAX,
    // The store decides between its reads which account's list is read next.
    totalMax: Infinity,
    waitMsMax: LIST_WAIT_MS_MAX,
    waitingMax: 250,
    refusal,
  });
}

/** Answers a list request once the account has few enough lists in progress. */
export async function answerList(
  api: Api,
  route: AccountRoute,
  call: AccountCall,
): Promise<Answer> {
  // A bulk change may take long, and must not keep the account from listing.
  const list = api.listGate.open(`${route.needs} ${call.accountId}`);
  await chargeUnlessGone(list, 1, call.request);
  try {
    await api.context.reserve?.(PAGE_BYTES_MAX);
    return await route.handler(api, call);
  } finally {
    list.release();
  }
}
