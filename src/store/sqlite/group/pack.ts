import { type Act, bodiesOf } from "../../../core/act.ts";
import type { AppendItem, ReplyAct } from "../../../core/acts/run.ts";
import type { Tick } from "../../../core/acts/schedule.ts";
import type { NewMessage } from "../../../core/change.ts";

/** A group of acts on its way to another thread. */
export interface PackedActs {
  readonly text: string;
  /** The facts of new messages: they are text already, and quoting them again would cost. */
  readonly facts: string[];
  /** The bodies side by side, to be moved rather than copied. */
  readonly bodies: ArrayBuffer;
}

/** Where a body is, in a packed act. */
type Place = readonly [at: number, length: number];

/** How the parts of an act are replaced, on the way in and on the way out. */
interface Swap {
  facts(facts: string): string;
  body(body: Uint8Array): Uint8Array;
}

/**
 * Text crosses threads far cheaper than objects do, and bodies are moved in one buffer: cloning
 * them one by one would copy, for a small body, the whole slab it was cut from.
 */
export function packActs(acts: readonly Act[]): PackedActs {
  let size = 0;
  for (const act of acts) for (const body of bodiesOf(act)) size += body.byteLength;
  const bodies = new Uint8Array(size);
  const facts: string[] = [];
  let at = 0;
  const swap = {
    facts: (text: string): unknown => facts.push(text) - 1,
    body: (body: Uint8Array): unknown => {
      bodies.set(body, at);
      at += body.byteLength;
      return [at - body.byteLength, body.byteLength] satisfies Place;
    },
  } as Swap;
  const text = JSON.stringify(acts.map((act) => swapped(act, swap)));
  return { text, facts, bodies: bodies.buffer };
}

export function unpackActs({ text, facts, bodies }: PackedActs): Act[] {
  const swap = {
    facts: (place: unknown) => facts[place as number],
    body: (place: unknown) => new Uint8Array(bodies, ...(place as Place)),
  } as Swap;
  return (JSON.parse(text) as Act[]).map((act) => swapped(act, swap));
}

function swapped(act: Act, swap: Swap): Act {
  if (act.rule === "publish") {
    const items = act.items.map(({ message, deduplication, nodeId }) => ({
      message: swappedMessage(message, swap),
      deduplication,
      nodeId,
    }));
    return { rule: act.rule, at: act.at, items };
  }
  if (act.rule === "retry-dead-letter") {
    return { ...act, message: swappedMessage(act.message, swap) };
  }
  if (act.rule === "append") return { ...act, items: swappedItems(act.items, swap) };
  if (act.rule === "reply") return swappedReply(act, swap);
  if (act.rule === "rerun") {
    const swapBody = <T extends { readonly body: Uint8Array }>(part: T): T => ({
      ...part,
      body: swap.body(part.body),
    });
    return { ...act, entries: act.entries.map(swapBody), resent: act.resent.map(swapBody) };
  }
  if (act.rule === "retry-report") return { ...act, body: swap.body(act.body) };
  if (act.rule === "start-run") return { ...act, payload: swap.body(act.payload) };
  if (act.rule === "end-run") return { ...act, response: swap.body(act.response) };
  if (act.rule === "notify") return { ...act, body: swap.body(act.body) };
  if (act.rule === "put-schedule") return { ...act, body: swap.body(act.body) };
  if (act.rule === "tick")
    return { ...act, ticks: act.ticks.map((tick) => swappedTick(tick, swap)) };
  if (act.rule !== "settle") return act;
  const { attempt, source } = act;
  return {
    ...act,
    attempt: { ...attempt, body: swap.body(attempt.body) },
    source: source && {
      ...source,
      body: swap.body(source.body),
      responseBody: swap.body(source.responseBody),
    },
  };
}

/** In the order in which `bodiesOf` tells them. */
function swappedReply(act: ReplyAct, swap: Swap): ReplyAct {
  const { reply } = act;
  const attempt = { ...act.attempt, body: swap.body(act.attempt.body) };
  if (reply.kind === "end") {
    return { ...act, attempt, reply: { ...reply, response: swap.body(reply.response) } };
  }
  return { ...act, attempt, reply: { ...reply, items: swappedItems(reply.items, swap) } };
}

function swappedItems(items: readonly AppendItem[], swap: Swap): AppendItem[] {
  return items.map((item) => ({
    ...item,
    body: swap.body(item.body),
    callBody: swap.body(item.callBody),
  }));
}

function swappedTick(tick: Tick, swap: Swap): Tick {
  const { fired } = tick;
  if (fired === null) return tick;
  const messages = fired.messages.map((message) => swappedMessage(message, swap));
  return { ...tick, fired: { ...fired, messages } };
}

function swappedMessage(message: NewMessage, swap: Swap): NewMessage {
  const { state, facts, body, createdAt, uses } = message;
  return { state, facts: swap.facts(facts), body: swap.body(body), createdAt, uses };
}
