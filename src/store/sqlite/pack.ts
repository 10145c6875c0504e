import { type Act, bodiesOf } from "../../core/act.ts";

/** A group of acts on its way to another thread. */
export interface PackedActs {
  readonly text: string;
  /** The bodies side by side, to be moved rather than copied. */
  readonly bodies: ArrayBuffer;
}

/** Where a body is, in a packed act. */
type Place = readonly [at: number, length: number];

/**
 * Text crosses threads far cheaper than objects do, and bodies are moved in one buffer: cloning
 * them one by one would copy, for a small body, the whole slab it was cut from.
 */
export function packActs(acts: readonly Act[]): PackedActs {
  let size = 0;
  for (const act of acts) for (const body of bodiesOf(act)) size += body.byteLength;
  const bodies = new Uint8Array(size);
  let at = 0;
  const packed = acts.map((act) =>
    withBodies(act, (body): Place => {
      bodies.set(body, at);
      at += body.byteLength;
      return [at - body.byteLength, body.byteLength];
    }),
  );
  return { text: JSON.stringify(packed), bodies: bodies.buffer };
}

export function unpackActs({ text, bodies }: PackedActs): Act[] {
  const packed = JSON.parse(text) as Act[];
  return packed.map((act) =>
    withBodies(act, (place) => new Uint8Array(bodies, ...(place as unknown as [number, number]))),
  );
}

/** The same act with each of its bodies replaced. */
function withBodies(act: Act, replace: (body: Uint8Array) => unknown): Act {
  const swap = replace as (body: Uint8Array) => Uint8Array;
  if (act.rule === "publish") {
    const items = act.items.map(({ message, deduplication }) => ({
      message: { ...message, body: swap(message.body) },
      deduplication,
    }));
    return { ...act, items };
  }
  if (act.rule === "retry-dead-letter") {
    return { ...act, message: { ...act.message, body: swap(act.message.body) } };
  }
  if (act.rule !== "settle") return act;
  const { attempt, source } = act;
  return {
    ...act,
    attempt: { ...attempt, body: swap(attempt.body) },
    source: source && {
      ...source,
      body: swap(source.body),
      responseBody: swap(source.responseBody),
    },
  };
}
