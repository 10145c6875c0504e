/** Where the attempts and the gaps between them lie on a line of 100 per cent. Long gaps are shortened. */
export interface Attempt {
  readonly number: number;
  readonly outcome: "delivered" | "failed" | "sending" | "canceled";
  /** The status, or the error in a word. */
  readonly word: string;
  readonly startedAt: number;
  readonly tookMs: number | null;
}

export type Piece = { readonly x: number; readonly width: number } & (
  | { readonly kind: "attempt"; readonly attempt: Attempt; readonly isLabeled: boolean }
  | { readonly kind: "gap"; readonly ms: number | null; readonly isPast: boolean }
  | { readonly kind: "now" }
  | { readonly kind: "next"; readonly number: number; readonly at: number }
  | { readonly kind: "more"; readonly count: number }
);

/** At most the last of many attempts are drawn. */
export const DRAWN_MAX = 8;

export function piecesOf(
  all: readonly Attempt[],
  nextAt: number | null,
  leftCount: number,
  now: number,
): Piece[] {
  const attempts = all.slice(-DRAWN_MAX);
  const weights: { make: (x: number, width: number) => Piece[]; weight: number }[] = [];
  for (const [index, attempt] of attempts.entries()) {
    const before = attempts[index - 1];
    if (before !== undefined) {
      const ms = Math.max(0, attempt.startedAt - endOf(before, now));
      weights.push({
        weight: gapWeight(ms),
        make: (x, width) => [{ kind: "gap", ms, isPast: true, x, width }],
      });
    }
    const weight = 5 + Math.min(4, Math.log10(1 + (attempt.tookMs ?? 0) / 1_000) * 3);
    weights.push({
      weight,
      make: (x, width) => [{ kind: "attempt", attempt, isLabeled: true, x, width }],
    });
  }
  if (nextAt !== null) weights.push(...future(attempts.at(-1), all.length, nextAt, leftCount, now));
  return withRoomForLabels(layOut(weights));
}

/** The last attempt has its label, and so has each before it whose label ends where the next one begins. */
function withRoomForLabels(pieces: readonly Piece[]): Piece[] {
  let next = Infinity;
  return pieces
    .toReversed()
    .map((piece) => {
      if (piece.kind === "next") next = piece.x;
      if (piece.kind !== "attempt") return piece;
      const isLabeled = next - piece.x >= LABEL_WIDTH;
      if (isLabeled) next = piece.x;
      return { ...piece, isLabeled };
    })
    .toReversed();
}

type Weighed = { make: (x: number, width: number) => Piece[]; weight: number };

function future(
  last: Attempt | undefined,
  done: number,
  nextAt: number,
  leftCount: number,
  now: number,
): Weighed[] {
  const since = last === undefined ? now : endOf(last, now);
  const passedShare = Math.min(0.98, Math.max(0.02, (now - since) / Math.max(1, nextAt - since)));
  const gap: Weighed = {
    weight: 30,
    make: (x, width) => {
      const nowAt = x + width * (last === undefined ? 0 : passedShare);
      const past: Piece[] =
        last === undefined ? [] : [{ kind: "gap", ms: null, isPast: true, x, width: nowAt - x }];
      const left: Piece = {
        kind: "gap",
        ms: Math.max(0, nextAt - now),
        isPast: false,
        x: nowAt,
        width: x + width - nowAt,
      };
      return [...past, left, { kind: "now", x: nowAt, width: 0 }];
    },
  };
  const next: Weighed = {
    weight: 10,
    make: (x, width) => [
      { kind: "next", number: done + 1, at: nextAt, x, width: Math.min(width, 5) },
    ],
  };
  const more: Weighed = {
    weight: 6,
    make: (x) => [{ kind: "more", count: leftCount - 1, x, width: 5.5 }],
  };
  return leftCount > 1 ? [gap, next, more] : [gap, next];
}

function endOf({ startedAt, tookMs }: Attempt, now: number): number {
  return tookMs === null ? now : startedAt + tookMs;
}

/** Ten times as long looks a little longer. */
function gapWeight(ms: number): number {
  return 3 + Math.log10(1 + ms / 100) * 3.5;
}

function layOut(weighed: readonly Weighed[]): Piece[] {
  const space = 98;
  const between = 0.6;
  const sum = weighed.reduce((total, { weight }) => total + weight, 0);
  const unit = Math.min(1.6, (space - between * weighed.length) / Math.max(1, sum));
  let x = 0.5;
  return weighed.flatMap(({ make, weight }) => {
    const width = weight * unit;
    const pieces = make(x, width);
    x += width + between;
    return pieces;
  });
}

/** In per cent: `15:24:00, 9.8 s` in the least width, without the duration where the screen is narrow. */
const LABEL_WIDTH = 11;
