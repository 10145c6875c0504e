interface Mark {
  /** The instant of the first live entry. */
  readonly at: number;
  /** How many messages were leased from here. */
  readonly served: number;
  /** When the index was last read from its start. */
  readonly wholeAt: number;
}

/**
 * The instant at which a claim starts to read an index. Leased messages leave dead entries at its
 * head, and the server cannot remove them while an old snapshot is in use: each read would skip all
 * of them. So a node that leases much starts at the first live entry it found, or a little before
 * now, and reads from the start again once a second, for rows that were committed very late.
 */
export class LowWater {
  readonly #marks = new Map<string, Mark>();

  /** The first instant to read; 0 to read everything. */
  from(name: string, now: number): number {
    const mark = this.#marks.get(name);
    if (mark === undefined || mark.served < SERVED_MIN || isOver(mark, now)) return 0;
    return Math.max(0, Math.min(mark.at, now - LATE_MS));
  }

  /** Notes the first live entry that a read found, null for none, and how many it leased. */
  note(name: string, at: number | null, served: number, now: number): void {
    const mark = this.#marks.get(name) ?? { at: 0, served: 0, wholeAt: now };
    if (this.#marks.size >= MARKS_MAX) this.#marks.clear();
    this.#marks.set(name, {
      at: at ?? mark.at,
      served: mark.served + served,
      wholeAt: isOver(mark, now) ? now : mark.wholeAt,
    });
  }
}

function isOver({ wholeAt }: Mark, now: number): boolean {
  return now < wholeAt || now >= wholeAt + WHOLE_READ_MS;
}

const WHOLE_READ_MS = 1_000;
/** A row committed at most this long after its own instant is still found at once. */
const LATE_MS = 2_000;
/** Below this, dead entries are few, and everything is read. */
const SERVED_MIN = 200;
const MARKS_MAX = 10_000;
