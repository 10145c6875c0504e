/** A question to SQLite in a process of its own, since SQLite cannot be interrupted from outside of its thread. */
import { fork } from "node:child_process";
import { once } from "node:events";

export interface SqliteProcess<Answer> {
  /** Null when it ended without one. */
  readonly answer: Promise<Answer | null>;
  /** Ends it at once, whatever it does. */
  readonly kill: () => void;
}

/** `name` is a file beside this one, which answers one question and ends. */
export function askSqlite<Answer>(name: string, question: object): SqliteProcess<Answer> {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const program = new URL(`./${name}.${extension}`, import.meta.url);
  const stdio = ["ignore", "ignore", "ignore", "ipc"] as const;
  const child = fork(program, { stdio: [...stdio], serialization: "advanced" });
  const ended = once(child, "exit");
  let answer: Answer | null = null;
  child.once("message", (message) => (answer = message as Answer));
  child.send(question);
  return { answer: ended.then(() => answer), kill: () => void child.kill("SIGKILL") };
}
