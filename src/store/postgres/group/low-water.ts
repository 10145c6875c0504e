interface Mark {
  /** Where the first live entry was found. */
  readonly at: number;
  /** How much was served here. */
  readonly served: number;
  /** When everything was looked at. */
  readonly wholeAt: number;
}

/**
 * Where a claim begins to look. What was served leaves dead entries at the head of an index, and
 * while an old snapshot lives the server cannot clear them away: each look would wade through them
 * all. So a node that serves much begins where it found the first that lives, or a little before
 * now, and looks at everything again once a second, for what was committed very late.
 */
export class LowWater {
  readonly #marks = new Map<string, Mark>();

  /** The least instant to look at; 0 to look at everything. */
  from(name: string, now: number): number {
    const mark = this.#marks.get(name);
    if (mark === undefined || mark.served < SERVED_MIN || isOver(mark, now)) return 0;
    return Math.max(0, Math.min(mark.at, now - LATE_MS));
  }

  /** What a look found first, null for nothing, and how much was served there. */
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
  return now < wholeAt || now >= wholeAt + WHOLE_LOOK_MS;
}

const WHOLE_LOOK_MS = 1_000;
/** What is committed this much later than the instant it bears is still found at once. */
const LATE_MS = 2_000;
/** Below this the dead are few, and everything is looked at. */
const SERVED_MIN = 200;
const MARKS_MAX = 10_000;
