/** Where an instant lies on a line of 100 per cent. Long waits, in which nothing works, can be drawn short. */
import { durationText } from "../app/format.ts";

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Tick {
  readonly x: number;
  readonly text: string;
  readonly anchor: "start" | "mid" | "end";
  readonly isMinor: boolean;
}

interface Segment extends Span {
  readonly x: number;
  readonly width: number;
  readonly isSkip: boolean;
}

export interface TimeScale {
  readonly x: (at: number) => number;
  /** What is drawn shorter than it was. */
  readonly skips: readonly { readonly x: number; readonly width: number }[];
  readonly ticks: readonly Tick[];
}

export function timeScale(
  domain: Span,
  work: readonly Span[],
  isShortened: boolean,
  width = 100,
): TimeScale {
  const whole = { from: domain.from, to: Math.max(domain.to, domain.from + 1) };
  const segments = layOut(whole, isShortened ? quietSpans(whole, work) : [], width);
  const x = (at: number): number => {
    const segment = segments.find(({ to }) => at <= to) ?? segments.at(-1)!;
    const share = (at - segment.from) / Math.max(1, segment.to - segment.from);
    return segment.x + segment.width * Math.min(1, Math.max(0, share));
  };
  return {
    x,
    skips: segments
      .filter(({ isSkip }) => isSkip)
      .map(({ x: at, width: wide }) => ({ x: at, width: wide })),
    ticks: ticksOf(segments, whole, width),
  };
}

/** Whether shortening would change anything. */
export function hasLongWaits(domain: Span, work: readonly Span[]): boolean {
  return quietSpans(domain, work).length > 0;
}

/** The waits that are long beside the work. */
function quietSpans(domain: Span, work: readonly Span[]): Span[] {
  const quiet: Span[] = [];
  let at = domain.from;
  for (const { from, to } of work.toSorted((one, other) => one.from - other.from)) {
    if (from > at) quiet.push({ from: at, to: Math.min(from, domain.to) });
    at = Math.max(at, to);
  }
  if (at < domain.to) quiet.push({ from: at, to: domain.to });
  const quietMs = quiet.reduce((sum, { from, to }) => sum + to - from, 0);
  const workMs = Math.max(1, domain.to - domain.from - quietMs);
  if (quietMs < workMs) return [];
  const longest = quiet
    .filter(({ from, to }) => to - from > workMs / 3 && to - from >= SKIP_MS_MIN)
    .toSorted((one, other) => other.to - other.from - (one.to - one.from));
  return longest.slice(0, SKIPS_MAX).toSorted((one, other) => one.from - other.from);
}

function layOut(domain: Span, skips: readonly Span[], width: number): Segment[] {
  const skipped = skips.reduce((sum, { from, to }) => sum + to - from, 0);
  const linearMs = Math.max(1, domain.to - domain.from - skipped);
  const skipWidths = skips.map(({ from, to }) => 7 + 6 * Math.log10(1 + (to - from) / linearMs));
  const wanted = skipWidths.reduce((sum, each) => sum + each, 0);
  const squeeze = Math.min(1, (width * 0.45) / Math.max(1, wanted));
  const unit = (width - wanted * squeeze) / linearMs;
  const segments: Segment[] = [];
  let at = domain.from;
  let x = 0;
  const add = (to: number, wide: number, isSkip: boolean): void => {
    if (to > at || isSkip) segments.push({ from: at, to, x, width: wide, isSkip });
    at = to;
    x += wide;
  };
  for (const [index, { from, to }] of skips.entries()) {
    add(from, (from - at) * unit, false);
    add(to, skipWidths[index]! * squeeze, true);
  }
  add(domain.to, (domain.to - at) * unit, false);
  return segments.length === 0 ? [{ ...domain, x: 0, width, isSkip: false }] : segments;
}

/** Instants begin with a plus, since they are counted from the start; a wait that is drawn short has its length. */
function ticksOf(segments: readonly Segment[], domain: Span, width: number): Tick[] {
  const linear = segments.filter(({ isSkip }) => !isSkip);
  const widest = linear.toSorted((one, other) => other.width - one.width)[0];
  const perMs = widest === undefined ? 0 : widest.width / Math.max(1, widest.to - widest.from);
  const stepMs = STEPS.find((step) => step * perMs >= 9) ?? STEPS.at(-1)!;
  const wholeMs = domain.to - domain.from;
  const start: Tick = { x: 0.3, text: "0", anchor: "start", isMinor: false };
  const end: Tick = { x: width, text: sinceText(wholeMs), anchor: "end", isMinor: false };
  const skips = segments
    .filter(({ isSkip }) => isSkip)
    .map(({ x, width: wide, from, to }): Tick => {
      const at = x + wide / 2;
      const isMinor = wide < 14 || at < 20 || at > width - 35;
      return { x: at, text: `↔ ${durationText(roundest(to - from))}`, anchor: "mid", isMinor };
    });
  const inner = linear.flatMap((segment) => innerTicks(segment, domain.from, stepMs));
  const shown = [start, end];
  for (const tick of [...skips, ...inner]) {
    if (shown.every((other) => areApart(tick, other))) shown.push(tick);
  }
  return shown.toSorted((one, other) => one.x - other.x);
}

/** Neither one text over another, nor twice the same. */
function areApart(one: Tick, other: Tick): boolean {
  const [first, second] = one.x < other.x ? [one, other] : [other, one];
  const isFree = spanOf(first).to + 1 <= spanOf(second).from;
  return isFree && one.text !== other.text;
}

function spanOf({ x, text, anchor }: Tick): Span {
  const wide = text.length * CHARACTER_WIDTH;
  const from = x - { start: 0, mid: wide / 2, end: wide }[anchor];
  return { from, to: from + wide };
}

function innerTicks({ from, to, x, width }: Segment, origin: number, stepMs: number): Tick[] {
  const ticks: Tick[] = [];
  const first = Math.max(1, Math.ceil((from - origin) / stepMs)) * stepMs;
  for (let since = first; since < to - origin && ticks.length < 20; since += stepMs) {
    const share = (since + origin - from) / Math.max(1, to - from);
    ticks.push({ x: x + width * share, text: sinceText(since), anchor: "mid", isMinor: true });
  }
  return ticks;
}

/** Two places are enough for a wait. */
function roundest(ms: number): number {
  return ms < 10_000 ? Math.round(ms / 100) * 100 : Math.round(ms / 1_000) * 1_000;
}

/** `+500 ms`, `+2.5 s`, `+41 min 20 s` */
function sinceText(ms: number): string {
  return `+${durationText(ms < 1_000 ? ms : roundest(ms))}`;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEPS = [
  [1, 2, 5, 10, 20, 50, 100, 200, 500],
  [1, 2, 5, 10, 20, 30].map((count) => count * SECOND),
  [1, 2, 5, 10, 20, 30].map((count) => count * MINUTE),
  [1, 2, 6, 12, 24, 72, 168, 720, 8_760].map((count) => count * HOUR),
].flat();
const SKIP_MS_MIN = 500;
const SKIPS_MAX = 6;
/** What a character of the axis takes of its width beside the panel, at most. */
const CHARACTER_WIDTH = 1.45;
