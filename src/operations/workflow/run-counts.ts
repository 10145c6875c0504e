import type { Account } from "../../core/model/account/account.ts";
import { RUN_STATES, type RunCounts } from "../../core/model/workflow/run-log.ts";
import type { RunState } from "../../core/model/workflow/run.ts";
import { runWait, stepGroups } from "../../core/views/run-log.ts";
import { PAGE_BYTES_MAX } from "../../store/reader/page.ts";
import type { Context } from "../context.ts";

/** How many runs are in each state, and what the open ones wait for; both of a bounded number. */
export async function countRunStates(context: Context, account: Account): Promise<RunCounts> {
  const { runs } = context.store.reader;
  const [phases, { open, isWhole }] = await Promise.all([
    runs.counts(account.accountId, COUNTED_MAX),
    readOpen(context, account),
  ]);
  const counted = Object.values(phases).reduce((sum, count) => sum + count, 0);
  const waiting = (wait: OpenState): number => open.filter((state) => state === wait).length;
  return {
    states: {
      [RUN_STATES.started]: phases.started,
      [RUN_STATES.success]: phases.success,
      [RUN_STATES.failed]: phases.failed,
      [RUN_STATES.canceled]: phases.canceled,
      STEP_RETRY: waiting("retry"),
    },
    waitingFor: { sleep: waiting("sleep"), event: waiting("event") },
    isAbout: counted >= COUNTED_MAX,
    isOpenAbout: !isWhole,
  };
}

type OpenState = ReturnType<typeof runWait> | "retry";

/** What each open run does, as far as their histories may be read at once. */
async function readOpen(
  context: Context,
  account: Account,
): Promise<{ readonly open: readonly OpenState[]; readonly isWhole: boolean }> {
  const { runs } = context.store.reader;
  const { accountId } = account;
  const { items, next } = await runs.active(accountId, {}, { after: null, count: OPEN_MAX });
  const open: OpenState[] = [];
  let bytes = 0;
  for (const state of items) {
    bytes += state.bytes;
    if (bytes > PAGE_BYTES_MAX && open.length > 0) return { open, isWhole: false };
    open.push(await openStateOf(context, state));
  }
  return { open, isWhole: next === null };
}

async function openStateOf({ store, clock }: Context, state: RunState): Promise<OpenState> {
  const groups = stepGroups(state, await store.reader.runs.history(state, 0), clock.now());
  const isRetried = groups.some(({ steps }) => steps.some((step) => step.state === "STEP_RETRY"));
  return isRetried ? "retry" : runWait(groups);
}

/** Runs of which the phases are counted, the newest. */
const COUNTED_MAX = 10_000;
/** Open runs whose steps are read. */
const OPEN_MAX = 200;
