import type { MessageState } from "../../core/model/message/message.ts";
import { loseLease } from "../../core/rules/message/lease.ts";
import type { ClockTime } from "../../platform/clock.ts";
import type { GrantedLease } from "../../core/model/message/message.ts";
import { WorkingSet } from "../group/working-set.ts";
import { type Row, toMessageState } from "../records/rows.ts";

export const LEASES_TAKEN_MAX = 500;

/** What has become of leases that were taken over. */
export class TakenOver {
  waiting = 0;
  canceled = 0;
  readonly poison: GrantedLease[] = [];

  /** Called after the commit, since a transaction may be tried again. */
  add({ lost }: TakenPage): void {
    for (const { kind, state } of lost) {
      if (kind === "poison") this.poison.push({ ...state, fence: state.fence + 1 });
      else this[kind] += 1;
    }
  }
}

export interface TakenPage {
  /** What is to be written. */
  readonly rows: WorkingSet;
  readonly lost: readonly { readonly kind: LossKind; readonly state: MessageState }[];
}

type LossKind = ReturnType<typeof loseLease>["kind"];

export function takePage(page: readonly Row[], nodeId: string, time: ClockTime): TakenPage {
  const rows = new WorkingSet(time);
  const lost = page.map(toMessageState).map((state) => {
    const { kind, changes } = loseLease(state, nodeId, time.now);
    rows.apply(changes);
    return { kind, state };
  });
  return { rows, lost };
}
