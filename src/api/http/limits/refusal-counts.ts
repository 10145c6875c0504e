import { type ProblemKind, PROBLEMS } from "../../../core/problem.ts";

/** How many requests were refused since the start, by code. */
export class RefusalCounts {
  readonly #counts = new Map<string, number>(Object.keys(PROBLEMS).map((kind) => [kind, 0]));

  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  add(kind: ProblemKind): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }
}
