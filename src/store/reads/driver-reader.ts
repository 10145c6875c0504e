import type { Reader } from "../reader.ts";
import type { Page, PageRequest } from "../reader/page.ts";
import type { Slice, SliceRequest } from "./slices.ts";

/** What a driver implements: long lists in slices, everything else as in Reader. */
export type DriverReader = { readonly [Noun in keyof Reader]: NounReader<Noun> };

export type NounReader<Noun extends keyof Reader> = {
  [Method in keyof Reader[Noun]]: Sliced<Reader[Noun][Method]>;
};

type Sliced<Method> = Method extends (
  accountId: string,
  filter: infer Filter,
  page: infer Request,
) => Promise<Page<infer Item>>
  ? PageRequest extends Request
    ? (accountId: string, filter: Filter, slice: SliceRequest) => Promise<Slice<Item>>
    : Method
  : Method;
