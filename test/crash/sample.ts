/** Which of the points are tried with every `npm test`: the rest is for the rows of `npm run prove` that begin with "crash". */
import { generator } from "../support/random-workflows.ts";

export const SEED = Number(process.env["CRASH_SEED"] ?? 1);
const random = generator(SEED);

/** One of the numbers from 1 to that one. */
export const upTo = (last: number): number => 1 + Math.floor(random() * last);
export const oneOf = <Item>(items: readonly Item[]): Item => items[upTo(items.length) - 1]!;

/** So many every run of the workflow has, whatever comes together in one transaction. */
export const CHANGES = 40;
export const REQUESTS = 25;
