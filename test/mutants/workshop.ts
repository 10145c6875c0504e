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
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import type { Mutant } from "./mutant.ts";
import { editedFile } from "./edited-file.ts";
import { runTestFile } from "./generated/run-test-file.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SUITES_MS_MAX = 240_000;
const COPIED = [
  "src",
  "sdk",
  "dashboard",
  "test",
  "docs",
  "deploy",
  "scripts",
  "README.md",
  "package.json",
];
const LINKED = ["node_modules", "test/node_modules", ".cache"];

export interface Verdict {
  /** Names of tests that failed. */
  readonly failed: readonly string[];
  readonly passed: number;
  readonly output: string;
}

/** A copy of the checkout in which defects are put in, one at a time, and taken out again. */
export class Workshop {
  readonly #folder = mkdtempSync(join(tmpdir(), "postrider-mutants-"));
  readonly #sound = new Map<string, boolean>();

  constructor() {
    for (const name of COPIED) {
      if (existsSync(join(ROOT, name))) {
        cpSync(join(ROOT, name), join(this.#folder, name), {
          recursive: true,
          filter: (path) => basename(path) !== "node_modules",
        });
      }
    }
    for (const name of LINKED) symlinkSync(join(ROOT, name), join(this.#folder, name));
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

  /** The first of the test files that fails with another text of a file, and not without it. */
  async noticed(
    file: string,
    changed: string,
    tests: readonly { readonly test: string; readonly timeoutMs: number }[],
  ): Promise<string | undefined> {
    const path = join(this.#folder, file);
    const original = readFileSync(path, "utf8");
    for (const { test, timeoutMs } of tests) {
      writeFileSync(path, changed);
      const failed = await this.#fails(test, timeoutMs);
      writeFileSync(path, original);
      if (failed && (await this.#isSound(test, timeoutMs))) return test;
    }
    return undefined;
  }

  async #isSound(test: string, timeoutMs: number): Promise<boolean> {
    if (!this.#sound.has(test)) this.#sound.set(test, !(await this.#fails(test, timeoutMs)));
    return this.#sound.get(test) === true;
  }

  async #fails(test: string, timeoutMs: number): Promise<boolean> {
    // A folder of its own, so that texts which are thrown away do not stay in the cache of the checkout.
    const environment = { NODE_COMPILE_CACHE: join(this.#folder, "compiled") };
    const run = { cwd: this.#folder, timeoutMs, environment };
    return (await runTestFile(test, run)).verdict === "failed";
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
