/** Time zones: what a clock shows there, and when it changes. */

/** `CRON_TZ=Europe/Berlin 0 9 * * *` in its two parts. Without a zone it is UTC. */
export function splitZone(cron: string): { readonly zone: string; readonly fields: string } {
  const match = /^CRON_TZ=(\S+)\s+(.*)$/s.exec(cron.trim());
  return { zone: match?.[1] ?? "UTC", fields: match?.[2] ?? cron.trim() };
}

export function withZone(zone: string, fields: string): string {
  return zone === "UTC" || fields.startsWith("@every") ? fields : `CRON_TZ=${zone} ${fields}`;
}

export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** `Europe/Berlin` is Berlin to a reader. */
export function placeOf(zone: string): string {
  return /^(etc\/)?(utc|gmt|uct|zulu|universal)$/i.test(zone)
    ? "UTC"
    : zone.slice(zone.lastIndexOf("/") + 1).replaceAll("_", " ");
}

/** `Fri 23 Oct, 09:00`, with the year when it is another one. */
export function wallText(at: number, zone: string, now: number): string {
  const { weekday, day, month, year, hour, minute } = partsOf(at, zone);
  const suffix = year === partsOf(now, zone)["year"] ? "" : ` ${year}`;
  return `${weekday} ${day} ${month}${suffix}, ${hour}:${minute}`;
}

/** `09:00` */
export function wallTime(at: number, zone: string): string {
  const { hour, minute } = partsOf(at, zone);
  return `${hour}:${minute}`;
}

function partsOf(at: number, zone: string): Record<string, string> {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      weekday: "short",
      day: "numeric",
      month: "short",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
    });
    formats.set(zone, format);
  }
  const parts = format.formatToParts(at).map(({ type, value }): [string, string] => [type, value]);
  // Some data calls September "Sept".
  return Object.fromEntries(
    parts.map(([name, value]) => [name, name === "month" ? value.slice(0, 3) : value]),
  );
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** How far the clocks there are ahead of UTC. */
export function offsetMs(at: number, zone: string): number {
  const { year, month, day, hour, minute, second } = partsOf(at, zone);
  const wall = Date.UTC(
    Number(year),
    MONTHS.indexOf(month!),
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  return wall - Math.floor(at / 1_000) * 1_000;
}

/** `UTC+2`, `UTC−3:30`. */
export function offsetText(at: number, zone: string): string {
  const minutes = Math.round(offsetMs(at, zone) / 60_000);
  if (minutes === 0) return "UTC";
  const size = Math.abs(minutes);
  const rest = size % 60 === 0 ? "" : `:${String(size % 60).padStart(2, "0")}`;
  return `UTC${minutes > 0 ? "+" : "−"}${Math.floor(size / 60)}${rest}`;
}

export interface ClockChange {
  readonly at: number;
  /** Before and after, ahead of UTC. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** The first change of the clocks after one instant, up to another. */
export function nextChange(after: number, until: number, zone: string): ClockChange | null {
  let from = after;
  let fromMs = offsetMs(from, zone);
  while (from < until) {
    const to = Math.min(until, from + STEP_MS);
    const toMs = offsetMs(to, zone);
    if (toMs !== fromMs) return { at: changeIn(from, to, zone, fromMs), fromMs, toMs };
    from = to;
    fromMs = toMs;
  }
  return null;
}

/** Clocks change at whole minutes. */
function changeIn(from: number, to: number, zone: string, before: number): number {
  let low = Math.floor(from / 60_000);
  let high = Math.ceil(to / 60_000);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMs(middle * 60_000, zone) === before) low = middle;
    else high = middle;
  }
  return high * 60_000;
}

/** The zones that the browser knows, the reader's own and UTC first. */
export function zonesKnown(own: string): string[] {
  const all = Intl.supportedValuesOf("timeZone");
  return [...new Set(["UTC", own, ...all])];
}

/** Two changes are further apart than this. */
const STEP_MS = 7 * 86_400_000;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
