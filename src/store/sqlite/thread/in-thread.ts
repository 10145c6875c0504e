import type { Reader } from "../../reader.ts";
import type { NounReader } from "../../reads/driver-reader.ts";

/** A noun of the reader inside a thread, which answers at once, on a connection of its own. */
export type InThread<Noun extends keyof Reader> = {
  [Method in keyof NounReader<Noun>]: AtOnce<NounReader<Noun>[Method]>;
};

type AtOnce<Method> = Method extends (...asked: infer Asked) => Promise<infer Answer>
  ? (...asked: Asked) => Answer
  : never;
