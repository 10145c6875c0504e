import type { Act } from "../../../core/act.ts";
import type { PartMapper } from "../../../core/act-parts.ts";
import { mapParts } from "../../../core/rules/registry.ts";

/** A group of acts as it is sent to another thread. */
export interface PackedActs {
  readonly text: string;
  /** The facts of new messages apart: they are text already, and quoting them again is slow. */
  readonly facts: string[];
  /** The bodies side by side, to be transferred instead of copied. */
  readonly bodies: ArrayBuffer;
}

/** A body in a packed act. */
type Range = readonly [at: number, length: number];

/**
 * Text crosses threads far faster than objects, and bodies are transferred in one buffer: cloning a
 * small body would copy the whole slab it was cut from.
 */
export function packActs(acts: readonly Act[]): PackedActs {
  const bodies: Uint8Array[] = [];
  const facts: string[] = [];
  let size = 0;
  const map = {
    facts: (text: string): unknown => facts.push(text) - 1,
    body: (body: Uint8Array): unknown => {
      bodies.push(body);
      size += body.byteLength;
      return [size - body.byteLength, body.byteLength] satisfies Range;
    },
  } as PartMapper;
  const text = JSON.stringify(acts.map((act) => mapParts(act, map)));
  return { text, facts, bodies: joined(bodies, size) };
}

export function unpackActs({ text, facts, bodies }: PackedActs): Act[] {
  const map = {
    facts: (index: unknown) => facts[index as number],
    body: (range: unknown) => new Uint8Array(bodies, ...(range as Range)),
  } as PartMapper;
  return (JSON.parse(text) as Act[]).map((act) => mapParts(act, map));
}

function joined(bodies: readonly Uint8Array[], size: number): ArrayBuffer {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const body of bodies) {
    whole.set(body, at);
    at += body.byteLength;
  }
  return whole.buffer;
}
