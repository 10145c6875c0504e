/** How many dead letters a group has, as far as the server counted. */
import { countText } from "../app/format.ts";

/** The server groups the newest dead letters, of both kinds together, and no more than these. */
const COUNTED_MAX = 10_000;

/** Whether each of these groups may have more than its count. */
export function isCountedInPart(groups: readonly { readonly count: number }[]): boolean {
  return groups.reduce((sum, { count }) => sum + count, 0) >= COUNTED_MAX;
}

/** `4,000`, and `4,000+` where the server stopped counting. */
export function groupCount(group: { readonly count: number; readonly isAtLeast: boolean }): string {
  return `${countText(group.count)}${group.isAtLeast ? "+" : ""}`;
}

/** Where the dead letters of a group were sent, as far as the newest of them tell. */
export function hostsText(count: number, newestUrls: readonly string[]): string {
  const hosts = new Set(newestUrls.map((url) => URL.parse(url)?.host ?? url));
  const [host = ""] = hosts;
  const others = hosts.size > 1 ? ` and ${hosts.size - 1} more` : "";
  if (newestUrls.length < count) return `newest from ${host}${others}`;
  return `${hosts.size === 1 && count > 1 ? "all " : ""}from ${host}${others}`;
}
