import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Edit } from "./mutant.ts";

/** The one file below `root` that holds the text of an edit, once. */
export function placeOf(root: string, { within, find }: Edit): string {
  const files = globSync([within, `${within}/**/*.{ts,sql}`], { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath, entry.name));
  const places = files.flatMap((path) =>
    Array<string>(readFileSync(path, "utf8").split(find).length - 1).fill(path),
  );
  const [place] = places;
  if (place === undefined || places.length > 1) {
    throw new Error(`${within} holds ${JSON.stringify(find)} ${places.length} times, not once`);
  }
  return place;
}
