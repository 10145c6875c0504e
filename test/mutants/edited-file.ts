import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Edit } from "./mutant.ts";

/** The one file below `root` that holds the text of an edit, once. */
export function editedFile(root: string, { within, find }: Edit): string {
  const files = globSync([within, `${within}/**/*.{ts,sql}`], { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath, entry.name));
  const found = files.flatMap((path) =>
    Array<string>(readFileSync(path, "utf8").split(find).length - 1).fill(path),
  );
  const [file] = found;
  if (file === undefined || found.length > 1) {
    throw new Error(`${within} holds ${JSON.stringify(find)} ${found.length} times, not once`);
  }
  return file;
}
