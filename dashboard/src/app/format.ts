/** Numbers, times and addresses in words. Units have a space, long things lose their least useful part. */

/** `412 ms`, `29.1 s`, `2 min 31 s`, `3 h 5 min`, `2 days`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return ms === 0 ? "0 ms" : ms < 1 ? "< 1 ms" : `${Math.round(ms)} ms`;
  if (ms < 60_000)
    return `${ms < 99_500 && ms % 1_000 !== 0 ? (ms / 1_000).toFixed(1) : Math.round(ms / 1_000)} s`;
  return longText(Math.round(ms / 1_000));
}

/** The same without parts of a second, for what changes while one reads. */
export function roughText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}

function longText(seconds: number): string {
  if (seconds < 3_600) return two(seconds, 60, "min", 1, "s");
  if (seconds < 2 * 86_400) return two(seconds, 3_600, "h", 60, "min");
  return two(seconds, 86_400, "days", 3_600, "h");
}

function two(
  seconds: number,
  big: number,
  bigUnit: string,
  small: number,
  smallUnit: string,
): string {
  const rest = Math.floor((seconds % big) / small);
  const whole = `${Math.floor(seconds / big)} ${bigUnit}`;
  return rest === 0 ? whole : `${whole} ${rest} ${smallUnit}`;
}

/** `1,284` */
export function countText(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1.4k`, for axes and badges. */
export function shortCount(count: number): string {
  if (count < 1_000) return String(Math.round(count * 10) / 10);
  const [size, unit] = count < 1_000_000 ? [1_000, "k"] : [1_000_000, "M"];
  const value = count / size;
  return `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)}${unit}`;
}

/** `1 message`, `1,284 messages`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

/** `14.8 %` */
export function shareText(part: number, whole: number): string {
  if (whole === 0) return "0 %";
  const percent = (part / whole) * 100;
  return `${percent < 10 && percent % 1 !== 0 ? percent.toFixed(1) : Math.round(percent)} %`;
}

export function bytesText(bytes: number): string {
  if (bytes < 1_000) return counted(bytes, "byte");
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** `14:02:09` in the reader's zone, with the day when it is another one. */
export function clockText(at: number, now: number, withMs = false): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString("en-GB");
  const shown = withMs ? `${time}.${String(date.getMilliseconds()).padStart(3, "0")}` : time;
  if (new Date(now).toDateString() === date.toDateString()) return shown;
  return `${date.toLocaleDateString("en-GB", { day: "numeric", month: "short" })} ${shown}`;
}

/** Made once: it takes longer to make than to use. */
const WHOLE_INSTANT = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long" });

/** The full instant for a tooltip, in the reader's zone and in UTC. */
export function instantText(at: number): string {
  const date = new Date(at);
  const own = WHOLE_INSTANT.format(date);
  return `${own}\n${date.toISOString().replace("T", " ").replace("Z", " UTC")}`;
}

export interface Destination {
  readonly host: string;
  /** The path, shortened in the middle, with its query. */
  readonly path: string;
}

/** Long paths keep their first and last segment: `/v1/parcels/…/track`. */
export function destinationOf(url: string): Destination {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null) return { host: url, path: "" };
  const path = `${shortPath(parsed.pathname)}${parsed.search}`;
  return { host: parsed.host, path: path === "/" ? "" : path };
}

/** A path in two parts: where it is too long, the first is cut and the last segment stays. */
export function lastSegment(path: string): { readonly head: string; readonly tail: string } {
  const [segments = ""] = path.split("?");
  const at = Math.max(0, segments.lastIndexOf("/", segments.length - 2));
  return { head: path.slice(0, at), tail: path.slice(at) };
}

function shortPath(path: string): string {
  const segments = path.split("/").slice(1);
  if (path.length <= PATH_CHARACTERS_MAX || segments.length < 4) return path;
  return `/${segments[0]}/${segments[1]}/…/${segments.at(-1)}`;
}

/** The last five characters tell ids apart. */
export function idTail(id: string): string {
  return id.length <= ID_SHOWN_MAX ? id : `…${id.slice(-5)}`;
}

export function shortId(id: string): string {
  return id.length <= 18 ? id : `${id.slice(0, 8)}…${id.slice(-5)}`;
}

const PATH_CHARACTERS_MAX = 48;
const ID_SHOWN_MAX = 10;
