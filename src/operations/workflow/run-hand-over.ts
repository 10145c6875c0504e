import type { Account } from "../../core/model/account/account.ts";
import { decodeFacts } from "../../core/model/message/settings.ts";
import type { Message } from "../../core/model/message/message.ts";
import type { RunEntry } from "../../core/model/workflow/run.ts";
import { hostOf } from "../../core/policy/egress/read-destination.ts";
import { FIRST_FENCE } from "../../core/rules/message/compose-message.ts";
import { mayLeaseAtOnce, mayLeaseRunMessage } from "../../core/rules/message/immediate-lease.ts";
import type { Slot } from "../../store/hand-over.ts";
import type { LeasedMessage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import type { Outcome } from "../hand-over.ts";
import type { Submitted } from "../../core/rules/workflow/run-message.ts";

/** The content of a message of a run: an entry of the run, or the body of a call. */
export type Content = Pick<RunEntry, "kind" | "body"> & {
  readonly callBody?: Uint8Array | undefined;
};

/** A slot for a message of a run that may be sent at once; null when it has to wait for a claim. */
export function reserveSlot(
  { handOver }: Context,
  account: Account,
  requested: Message,
): Slot | null {
  if (!mayLeaseAtOnce(account) || !mayLeaseRunMessage(requested)) return null;
  const { accountId, url } = requested;
  return handOver.reserve({ accountId, host: hostOf(url), bytes: 0, isInLine: false });
}

export function outcomeOf(
  context: Context,
  stored: Submitted,
  requested: Message,
  content: Content | null,
): Outcome {
  const { messageId, deduplicated, leased, facts } = stored;
  if (!leased) return { waits: !deduplicated, leased: null };
  const { accountId, url } = requested;
  const known = facts === undefined ? null : leasedOf(context, facts, content);
  return { waits: false, leased: known ?? { accountId, messageId, host: hostOf(url) } };
}

/** The message as it is sent; null when what it brings is not known here. */
function leasedOf(
  { runLists }: Context,
  facts: string,
  content: Content | null,
): LeasedMessage | null {
  if (content === null) return null;
  const message = decodeFacts(facts);
  const { accountId, messageId } = message;
  const body =
    content.kind === "call" ? content.callBody : runLists.upTo(message, { messageId, ...content });
  if (!body) return null;
  const lease = { accountId, messageId, fence: FIRST_FENCE };
  return { lease, message, body, host: hostOf(message.url), attempts: 0 };
}
