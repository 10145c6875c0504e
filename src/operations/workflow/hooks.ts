import { type RunRef, type RunKey, hookKey } from "../../core/model/workflow/run.ts";
import type { Account } from "../../core/model/account/account.ts";
import { Problem } from "../../core/problem.ts";
import type { Context } from "../context.ts";
import { notifyOne, tooManyEvents } from "./waits.ts";

/** The parts of a webhook's URL. */
export interface HookAddress {
  readonly accountId: string;
  readonly runId: string;
  /** The secret, known to the workflow that created the webhook and those it was given to. */
  readonly eventId: string;
}

/** A webhook that accepts calls. */
export interface Hook {
  readonly account: Account;
  /** The run that created it, or the one that resumed that run. */
  readonly run: RunKey;
  readonly eventId: string;
}

/** Callers have no token: an unknown account, run or webhook are all refused alike. */
export async function findHook(context: Context, address: HookAddress): Promise<Hook> {
  const { accountId, runId, eventId } = address;
  const account = await context.store.reader.accounts.get(accountId);
  const run = account === null ? null : await findRun(context, { accountId, runId }, eventId);
  if (account === null || run === null) throw noHook();
  if (account.isSuspended) {
    throw new Problem("forbidden", "this account is suspended; ask the operator of the service");
  }
  return { account, run, eventId };
}

/** A resumed run has the steps of the earlier run, and with them its webhooks. */
async function findRun({ store }: Context, named: RunRef, eventId: string): Promise<RunKey | null> {
  let ref: RunRef = named;
  for (let count = 0; count < FOLLOWED_MAX; count++) {
    const found = await store.reader.runs.get(ref);
    if (found === null) return null;
    const { accountId, runId, createdAt, phase, failure } = found.state;
    const key = { accountId, runId, createdAt };
    if (phase === "started") {
      return (await store.reader.runs.hasStep(key, hookKey(eventId))) ? key : null;
    }
    if (failure?.followedBy === undefined) return null;
    ref = { accountId, ...failure.followedBy };
  }
  return null;
}

/** Delivers a call to the run of a webhook: to its waits, or stored for the next one. */
export async function callHook(context: Context, hook: Hook, call: Uint8Array): Promise<void> {
  const { refused } = await notifyOne(context, hook.run, hook.eventId, call, true);
  if (refused === 0) return;
  // The run may have ended, or have been resumed, while the body arrived.
  const again = await findHook(context, { ...hook.run, eventId: hook.eventId });
  const { runId, createdAt } = again.run;
  if (runId !== hook.run.runId || createdAt !== hook.run.createdAt) {
    return callHook(context, again, call);
  }
  throw tooManyEvents();
}

export function noHook(): Problem {
  return Problem.about("hook", "not-found", "no run waits behind this address");
}

/** How many resumptions the URLs of the first run are followed through. */
const FOLLOWED_MAX = 100;
