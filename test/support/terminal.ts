/** A person's terminal: a folder, an environment, and the commands that are given there. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { PROGRAM } from "./program.ts";
import { userEnvironment } from "./user-environment.ts";

export interface Ended {
  readonly output: string;
  readonly errors: string;
}

export class Terminal {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;

  constructor(folder: string, environment: Readonly<Record<string, string>> = {}) {
    this.folder = folder;
    this.environment = environment;
  }

  /** Runs `postrider` with these words; any other exit code fails the test. */
  run(words: readonly string[], exitCode = 0, input = ""): Promise<Ended> {
    return this.#spawn(process.execPath, [PROGRAM, ...words], exitCode, input);
  }

  /** What a command prints. */
  async says(...words: readonly string[]): Promise<string> {
    return (await this.run(words)).output;
  }

  /** What a command prints with `--json`: one value, or one on each line. */
  async json<Value>(...words: readonly string[]): Promise<Value> {
    return JSON.parse(await this.says(...words, "--json")) as Value;
  }

  /** A line for a shell, in which `postrider` is the program. */
  shell(line: string, exitCode = 0): Promise<Ended> {
    const program = 'postrider() { "$NODE" "$PROGRAM" "$@"; }';
    return this.#spawn("bash", ["-c", `${program}\n${line}`], exitCode, "");
  }

  #spawn(
    file: string,
    parameters: readonly string[],
    exitCode: number,
    input: string,
  ): Promise<Ended> {
    const child = spawn(file, parameters, {
      cwd: this.folder,
      env: {
        ...userEnvironment(),
        NO_COLOR: "1",
        HOME: this.folder,
        XDG_CONFIG_HOME: "",
        NODE: process.execPath,
        PROGRAM,
        ...this.environment,
      },
    });
    let [output, errors] = ["", ""];
    child.stdout.on("data", (chunk) => (output += String(chunk)));
    child.stderr.on("data", (chunk) => (errors += String(chunk)));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    return new Promise((resolve, reject) => {
      child.once("close", (code) => {
        try {
          assert.equal(code, exitCode, `${parameters.join(" ")}\n${output}${errors}`);
          resolve({ output, errors });
        } catch (error) {
          reject(error);
        }
      });
    });
  }
}
