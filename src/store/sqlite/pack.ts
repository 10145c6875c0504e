import type { Act } from "../../core/act.ts";

/**
 * Puts the bodies of a group side by side in one buffer that can be moved to another thread.
 * Cloning them would copy, for a small body, the whole slab it was cut from.
 */
export function packActs(acts: readonly Act[]): { acts: Act[]; buffer: ArrayBuffer } {
  let size = 0;
  for (const act of acts) eachBody(act, (body) => (size += body.byteLength));
  const buffer = new ArrayBuffer(size);
  let at = 0;
  function place(body: Uint8Array): Uint8Array {
    const placed = new Uint8Array(buffer, at, body.byteLength);
    placed.set(body);
    at += body.byteLength;
    return placed;
  }
  return { acts: acts.map((act) => withBodies(act, place)), buffer };
}

function eachBody(act: Act, use: (body: Uint8Array) => void): void {
  switch (act.rule) {
    case "publish":
      for (const { message } of act.items) use(message.body);
      return;
    case "settle":
      use(act.attempt.body);
      if (act.source) {
        use(act.source.body);
        use(act.source.responseBody);
      }
      return;
    case "retry-dead-letter":
      use(act.message.body);
      return;
    default:
  }
}

function withBodies(act: Act, place: (body: Uint8Array) => Uint8Array): Act {
  switch (act.rule) {
    case "publish":
      return {
        ...act,
        items: act.items.map((item) => ({
          ...item,
          message: { ...item.message, body: place(item.message.body) },
        })),
      };
    case "settle":
      return {
        ...act,
        attempt: { ...act.attempt, body: place(act.attempt.body) },
        source: act.source && {
          ...act.source,
          body: place(act.source.body),
          responseBody: place(act.source.responseBody),
        },
      };
    case "retry-dead-letter":
      return { ...act, message: { ...act.message, body: place(act.message.body) } };
    default:
      return act;
  }
}
