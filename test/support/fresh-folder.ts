import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Scope } from "./scope.ts";

/** An empty folder that is gone when the test is over. */
export function freshFolder(scope: Scope, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, "postrider-test-"));
  scope.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
