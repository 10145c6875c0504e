import { type Act, mapParts } from "../../../core/rules/registry.ts";
import type { PartMapper } from "../../../core/rule.ts";
import {
  packPublish,
  packSettle,
  type PackedPublish,
  type PackedSettle,
  unpackPublish,
  unpackSettle,
} from "./pack-plain.ts";

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

/** The two acts of every message as lists of values; any other act as it is. */
type PackedAct = PackedPublish | PackedSettle | Act;

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
      if (body.byteLength === 0) return NOTHING;
      bodies.push(body);
      size += body.byteLength;
      return [size - body.byteLength, body.byteLength] satisfies Range;
    },
  } as PartMapper;
  const text = JSON.stringify(acts.map((act) => packAct(act, map)));
  return { text, facts, bodies: joined(bodies, size) };
}

export function unpackActs({ text, facts, bodies }: PackedActs): Act[] {
  const map = {
    facts: (index: unknown) => facts[index as number],
    body: (range: unknown) => new Uint8Array(bodies, ...(range as Range)),
  } as PartMapper;
  return (JSON.parse(text) as PackedAct[]).map((packed) => unpackAct(packed, map));
}

function packAct(act: Act, map: PartMapper): PackedAct {
  if (act.rule === "publish") return packPublish(act, map);
  if (act.rule === "settle") return packSettle(act, map) ?? mapParts(act, map);
  return mapParts(act, map);
}

function unpackAct(packed: PackedAct, map: PartMapper): Act {
  if ("rule" in packed) return mapParts(packed, map);
  return packed[0] === "publish" ? unpackPublish(packed, map) : unpackSettle(packed, map);
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

const NOTHING: Range = [0, 0];
