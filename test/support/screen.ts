/** A program in a terminal of its own, by `script` of util-linux. */
import { type ChildProcess, spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { until } from "./eventually.ts";
import type { Scope } from "./scope.ts";
import { userEnvironment } from "./user-environment.ts";

export class Screen {
  #text = "";
  readonly #child: ChildProcess;
  readonly ended: Promise<number | null>;

  constructor(
    scope: Scope,
    words: readonly string[],
    folder: string,
    environment: NodeJS.ProcessEnv = {},
  ) {
    const line = words.map((word) => `'${word}'`).join(" ");
    this.#child = spawn("script", ["-qfec", line, "/dev/null"], {
      cwd: folder,
      env: { ...userEnvironment(), TERM: "xterm", ...environment },
    });
    this.#child.stdout!.on("data", (chunk) => (this.#text += String(chunk)));
    this.ended = new Promise((resolve) => this.#child.once("close", resolve));
    scope.after(() => this.#child.kill("SIGKILL"));
  }

  press(key: string): void {
    this.#child.stdin!.write(key);
  }

  get raw(): string {
    return this.#text;
  }

  async shows(pattern: RegExp): Promise<void> {
    const shown = (): string => stripVTControlCharacters(this.#text);
    try {
      await until(() => pattern.test(shown()), `the screen shows ${pattern}`);
    } catch (error) {
      throw new Error(shown(), { cause: error });
    }
  }
}
