import { mapMessage, type Needs, type Rows, type Rule } from "../../rule.ts";
import { type PublishItem, ImmediateLease, limitedLines } from "./immediate-lease.ts";
import type { Change, NewMessage } from "../../change.ts";
import { type MessageState, NO_DELAY } from "../../model/message/message.ts";
import type { Instant } from "../../model/time.ts";

export interface PublishAnswer {
  readonly messageId: string;
  /** An earlier message took the same deduplication key; nothing was stored. */
  readonly deduplicated: boolean;
  /** There was a slot for it, but its queue or its key had no room. */
  readonly waits?: true;
}

export interface PublishAct {
  readonly rule: "publish";
  readonly at: Instant;
  readonly items: readonly PublishItem[];
}

/** Adds messages, except those whose deduplication key an earlier message holds. */
export const publish: Rule<PublishAct, readonly PublishAnswer[]> = {
  needs: ({ items }) => {
    const keyed = items.filter((item) => item.deduplication !== null);
    const immediate = items.filter((item) => item.nodeId !== undefined);
    return {
      ...(keyed.length === 0 ? {} : { deduplications: keyed.map(deduplicationOf) }),
      ...(immediate.length === 0 ? {} : linesOf(immediate)),
    };
  },
  decide: ({ items, at }, rows) => {
    const changes: Change[] = [];
    const answer: PublishAnswer[] = [];
    const takenHere = new Map<string, string>();
    const immediateLease = new ImmediateLease(rows);
    for (const item of items) {
      const firstId = firstHolder(item, rows, at, takenHere);
      if (firstId !== null) {
        answer.push({ messageId: firstId, deduplicated: true });
        continue;
      }
      const { messageId } = item.message.state;
      if (item.deduplication) {
        takenHere.set(item.deduplication.key, messageId);
        changes.push({
          type: "deduplication.taken",
          deduplication: {
            ...deduplicationOf(item),
            messageId,
            expiresAt: item.deduplication.expiresAt,
          },
        });
      }
      const passed = immediateLease.of(item);
      changes.push(...addMessage(passed?.message ?? item.message), ...(passed?.changes ?? []));
      const waits = item.nodeId !== undefined && passed === null;
      answer.push({ messageId, deduplicated: false, ...(waits ? { waits } : {}) });
    }
    return { changes, answer };
  },
  mapParts: (act, map) => ({
    ...act,
    items: act.items.map((item) => ({ ...item, message: mapMessage(item.message, map) })),
  }),
};

/** The changes that add a message: leased when its state says so, else in its line. */
export function addMessage(message: NewMessage): Change[] {
  const { createdAt: at } = message;
  const state = withoutDelay(message);
  const { accountId, messageId } = state;
  const changes: Change[] = [
    { type: "message.added", message: state === message.state ? message : { ...message, state } },
    { type: "log.added", entry: { accountId, messageId, at, state: "CREATED" } },
  ];
  for (const used of message.uses ?? []) changes.push({ type: "line.used", used, at });
  if (state.phase === "active") {
    changes.push({
      type: "log.added",
      entry: { accountId, messageId, at, state: "ACTIVE", attempt: 1 },
    });
  } else {
    const dueAt = Math.max(at, state.readyAt);
    changes.push({ type: "line.due", accountId, line: state.line, at: dueAt });
  }
  return changes;
}

/** In a queue only a requested delay makes a message wait, never the clock. */
function withoutDelay({ state, createdAt }: NewMessage): MessageState {
  const isReady = state.lineAfter !== null && state.readyAt <= createdAt;
  return isReady ? { ...state, readyAt: NO_DELAY } : state;
}

function linesOf(items: readonly PublishItem[]): Needs {
  return { lines: items.flatMap(({ message }) => limitedLines(message.state)) };
}

function deduplicationOf(item: PublishItem): { accountId: string; key: string } {
  return { accountId: item.message.state.accountId, key: item.deduplication!.key };
}

function firstHolder(
  item: PublishItem,
  rows: Rows,
  at: number,
  takenHere: ReadonlyMap<string, string>,
): string | null {
  if (item.deduplication === null) return null;
  const { accountId, key } = deduplicationOf(item);
  return takenHere.get(key) ?? rows.deduplication(accountId, key, at)?.messageId ?? null;
}
