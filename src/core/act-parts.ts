import type { NewMessage } from "./change.ts";

/**
 * What an act carries that is large: bodies, and the facts of new messages. A store may put something
 * else in their place while the act travels to another thread.
 */
export interface PartMapper {
  body(body: Uint8Array): Uint8Array;
  facts(facts: string): string;
}

/** True for a type in which a body can be found, at any depth. */
export type HoldsBytes<T> = T extends Uint8Array
  ? true
  : T extends readonly (infer Item)[]
    ? HoldsBytes<Item>
    : T extends object
      ? true extends { [Name in keyof T]-?: HoldsBytes<T[Name]> }[keyof T]
        ? true
        : false
      : false;

export function mapMessage(message: NewMessage, map: PartMapper): NewMessage {
  return { ...message, facts: map.facts(message.facts), body: map.body(message.body) };
}

export function mapBody<T extends { readonly body: Uint8Array }>(part: T, map: PartMapper): T {
  return { ...part, body: map.body(part.body) };
}
