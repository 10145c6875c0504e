/** Which dead letters are chosen: single ones by id, and whole batches by their filter. */
import { useState } from "preact/hooks";
import type { Selection } from "../parts/selection.tsx";
import type { Batch } from "./dead-groups.ts";
import type { DeadKind } from "./dead-letter.ts";

export interface Chosen {
  readonly batches: ReadonlyMap<string, Batch>;
  /** The kind of each by its id. */
  readonly letters: ReadonlyMap<string, DeadKind>;
}

export interface DeadSelection {
  readonly chosen: Chosen;
  readonly toggleBatch: (batch: Batch, shown: readonly string[]) => void;
  readonly setBatches: (batches: readonly Batch[]) => void;
  readonly clear: () => void;
  /** For the table of one batch, or of a list of one kind. */
  readonly forTable: (batch: Batch | null, kind: DeadKind) => Selection;
}

const NONE: Chosen = { batches: new Map(), letters: new Map() };

export function useDeadSelection(): DeadSelection {
  const [chosen, setChosen] = useState<Chosen>(NONE);
  const [last, setLast] = useState<string | null>(null);
  return {
    chosen,
    toggleBatch: (batch, shown) =>
      setChosen((before) => {
        const batches = new Map(before.batches);
        const letters = new Map(before.letters);
        for (const id of shown) letters.delete(id);
        if (!batches.delete(batch.key)) batches.set(batch.key, batch);
        return { batches, letters };
      }),
    setBatches: (all) =>
      setChosen({ batches: new Map(all.map((batch) => [batch.key, batch])), letters: new Map() }),
    clear: () => setChosen(NONE),
    forTable: (batch, kind) => ({
      keys: new Set(chosen.letters.keys()),
      toggle: (key, shown, isRange) => {
        setChosen((before) => toggled(before, { batch, kind, key, shown, last, isRange }));
        setLast(key);
      },
      set: (keys) =>
        setChosen((before) => ({
          ...before,
          letters: new Map([...before.letters, ...[...keys].map((key) => [key, kind] as const)]),
        })),
      clear: () => setChosen(NONE),
    }),
  };
}

interface Toggle {
  readonly batch: Batch | null;
  readonly kind: DeadKind;
  readonly key: string;
  readonly shown: readonly string[];
  readonly last: string | null;
  readonly isRange: boolean;
}

function toggled(before: Chosen, { batch, kind, key, shown, last, isRange }: Toggle): Chosen {
  const batches = new Map(before.batches);
  const letters = new Map(before.letters);
  // One that leaves a batch leaves the others that can be seen chosen one by one.
  if (batch !== null && batches.delete(batch.key)) {
    for (const id of shown) letters.set(id, kind);
  }
  const from = last === null ? -1 : shown.indexOf(last);
  const to = shown.indexOf(key);
  if (isRange && from >= 0) {
    for (const id of shown.slice(Math.min(from, to), Math.max(from, to) + 1)) letters.set(id, kind);
  } else if (!letters.delete(key)) letters.set(key, kind);
  return { batches, letters };
}

/** How many of each kind. */
export function countOf({ batches, letters }: Chosen, kind: DeadKind): number {
  const single = [...letters.values()].filter((each) => each === kind).length;
  const whole = [...batches.values()].filter((batch) => batch.kind === kind);
  return whole.reduce((sum, { count }) => sum + count, single);
}

export function isAbout({ batches }: Chosen): boolean {
  return [...batches.values()].some(({ isAtLeast }) => isAtLeast);
}
