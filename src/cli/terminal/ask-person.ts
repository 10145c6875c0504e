import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { CommandError } from "../command-error.ts";
import type { Flags } from "../flags.ts";

/** Asks before something is lost. Where no person can answer, `--yes` must be given. */
export async function confirm(question: string, flags: Flags): Promise<void> {
  if (flags.is("yes")) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new CommandError(`${question}: give --yes to do it`);
  }
  const answer = await askLine(`${question}? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError("nothing was changed");
}

/** What is typed is not shown. */
export function askSecret(question: string): Promise<string> {
  return askLine(question, new Writable({ write: (_chunk, _encoding, done) => done() }));
}

export function askLine(
  question: string,
  echo: NodeJS.WritableStream = process.stderr,
): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: echo, terminal: true });
  process.stderr.write(echo === process.stderr ? "" : question);
  return new Promise((resolve, reject) => {
    reader.on("SIGINT", () => process.exit(130));
    reader.once("close", () => reject(new CommandError("no answer was given")));
    reader.question(echo === process.stderr ? question : "", (answer) => {
      resolve(answer);
      reader.close();
      if (echo !== process.stderr) process.stderr.write("\n");
    });
  });
}
