import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const MOVED = ".moved-";

/** What a database file is called after its data was moved to another store. */
export function movedName(path: string, now: number): string {
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  return `${path}${MOVED}${time}`;
}

/** The newest database that was moved from this path to another store; null for none. */
export function movedFrom(path: string): string | null {
  const names = readdirSync(dirname(path)).toSorted();
  const found = names.findLast((name) => name.startsWith(`${basename(path)}${MOVED}`));
  return found === undefined ? null : join(dirname(path), found);
}
