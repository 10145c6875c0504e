import { Problem } from "../../../core/problem.ts";
import type { Clock } from "../../../platform/clock.ts";
import { PAGE_BYTES_MAX } from "../../../store/reader/page.ts";
import type { Answer } from "../answers/answer.ts";
import type { AccountCall, AccountRoute, Api } from "../server/call.ts";
import { FairShare } from "./fair-share.ts";
import { waitForAdmission } from "./wait-for-admission.ts";

/** Lists of an account in progress at once; and as many bulk changes. */
export const LISTS_AT_ONCE_MAX = 4;
export const LIST_WAIT_MS_MAX = 10_000;
const LISTS_WAITING_MAX = 250;

export function createListGate(clock: Clock): FairShare {
  const refusal = (): Problem => {
    const rate = { limit: LISTS_AT_ONCE_MAX, remaining: 0, resetAtSeconds: resetAt(clock) };
    const sentence = `too many lists at once, current limit: ${LISTS_AT_ONCE_MAX}`;
    return new Problem("burst-limit", sentence, 1, rate);
  };
  return new FairShare({
    clock,
    accountMax: LISTS_AT_ONCE_MAX,
    // The store decides between its reads which account's list is read next.
    totalMax: Infinity,
    waitMsMax: LIST_WAIT_MS_MAX,
    waitingMax: LISTS_WAITING_MAX,
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
  const admission = api.listGate.enter(`${route.needs} ${call.accountId}`, 1);
  await waitForAdmission(admission, call.request);
  try {
    await api.context.reserve?.(PAGE_BYTES_MAX);
    return await route.handler(api, call);
  } finally {
    admission.leave();
  }
}

function resetAt(clock: Clock): number {
  return Math.floor(clock.now() / 1_000) + 1;
}
