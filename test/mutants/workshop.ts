import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import type { Mutant } from "./mutant.ts";
import { editedFile } from "./edited-file.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SUITES_MS_MAX = 240_000;

export interface Verdict {
  /** Names of tests that failed. */
  readonly failed: readonly string[];
  readonly passed: number;
  readonly output: string;
}

/** A copy of the checkout in which defects are put in, one at a time, and taken out again. */
export class Workshop {
  readonly #folder = mkdtempSync(join(tmpdir(), "postrider-mutants-"));

  constructor() {
    for (const name of ["src", "sdk", "test", "docs", "package.json"]) {
      if (existsSync(join(ROOT, name))) {
        cpSync(join(ROOT, name), join(this.#folder, name), { recursive: true });
      }
    }
    symlinkSync(join(ROOT, "node_modules"), join(this.#folder, "node_modules"));
  }

  /** What the suites say of the code as it is. */
  sound(suites: readonly string[], only: string | undefined): Promise<Verdict> {
    return this.#run(suites, only);
  }

  /** What they say of the defect. */
  async judge({ edits, suites, only }: Mutant): Promise<Verdict> {
    const originals = new Map<string, string>();
    try {
      for (const edit of edits) {
        const path = editedFile(join(this.#folder, "src"), edit);
        const code = readFileSync(path, "utf8");
        if (!originals.has(path)) originals.set(path, code);
        writeFileSync(
          path,
          code.replace(edit.find, () => edit.replace),
        );
      }
      return await this.#run(suites, only);
    } finally {
      for (const [path, original] of originals) writeFileSync(path, original);
    }
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #run(suites: readonly string[], only: string | undefined): Promise<Verdict> {
    const pattern = only === undefined ? [] : [`--test-name-pattern=${only}`];
    const options = ["--test", "--test-reporter=tap", "--test-force-exit", ...pattern];
    const child = spawn(process.execPath, [...options, ...suites], {
      cwd: this.#folder,
      stdio: ["ignore", "pipe", "pipe"],
      signal: AbortSignal.timeout(SUITES_MS_MAX),
    });
    const [output, errors] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close"),
    ]);
    return verdictOf(`${output}${errors}`);
  }
}

/** Only tests count: that a file cannot be loaded at all would say nothing about them. */
function verdictOf(output: string): Verdict {
  const lines = [...output.matchAll(/^ *(not ok|ok) \d+ - (.*)$/gm)];
  const tests = lines.filter(([, , name]) => !name?.endsWith(".test.ts"));
  const failed = tests.filter(([, result]) => result === "not ok").map(([, , name]) => name ?? "");
  return { failed, passed: tests.length - failed.length, output };
}
