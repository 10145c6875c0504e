/** Commands with a mistake in them: each says in a sentence what is wrong and what there is, and how it ends. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { freshFolder } from "../support/fresh-folder.ts";
import { Terminal } from "../support/terminal.ts";

interface Mistake {
  readonly words: readonly string[];
  readonly says: RegExp;
  readonly exitCode: number;
}

function mistake(line: string, says: RegExp, exitCode = 1): Mistake {
  return { words: line.split(" "), says, exitCode };
}

const MISTAKES: readonly Mistake[] = [
  mistake("publis x", /^postrider: unknown command 'publis'\n\(Did you mean publish\?\)\n$/),
  mistake(
    "help dlq retyr",
    /^postrider: unknown command 'dlq retyr'\n {2}hint: did you mean retry/,
  ),
  mistake("foo", /^postrider: unknown command 'foo'\n$/),
  mistake("serve --hosx a", /^postrider: unknown option '--hosx'\n\(Did you mean --host\?\)\n/),
  mistake("status --frobs", /^postrider: unknown option '--frobs'\n {2}hint: postrider status/),
  // A group whose list needs no word takes an unknown word for no command of its own.
  mistake(
    "queues shwo mail",
    /^postrider: unknown command 'queues shwo'\n {2}hint: there is: list, set, show, pause, resume, delete\n$/,
  ),
  mistake("account destroy a", /^postrider: unknown command 'account destroy'\n {2}hint: .*create/),
  mistake(
    "publish",
    /^postrider: missing required argument 'destination'\n {2}hint: postrider publish --help/,
  ),
  mistake("queues set", /^postrider: missing .* 'name'\n {2}hint: postrider queues set --help/),
  mistake("publish x --retires 3", /^postrider: unknown option '--retires'\n.*--retries/),
  mistake("replay nofile --to http://localhost:1", /^postrider: there is no file \/.*nofile\n$/, 5),
  mistake("publish http://localhost:1 --body @nofile", /there is no file \/.*nofile\n$/, 5),
  mistake("publish http://localhost:1 --body @.", /^postrider: \/\S+ is a folder\n$/),
  mistake(
    "publish http://localhost:1 --label \u4f60\u597d --token t",
    /\npostrider: Svc-Label: holds a control character or one outside of Latin-1\n$/,
  ),
  mistake("publish http://localhost:1 -H X(Y):1", /^postrider: "X\(Y\)" is no name of a header\n$/),
  mistake(
    "publish http://localhost:1 -H X:\u4f60\u597d",
    /^postrider: X: holds a control character/,
  ),
  mistake("batch nofile", /there is no file \/.*nofile\n$/, 5),
  mistake("verify nofile", /^postrider: there is no file \/.*nofile\n$/, 5),
  mistake("verify .", /^postrider: \/\S+ is a folder\n$/),
  mistake("query --file nofile", /there is no file \/.*nofile\n$/, 5),
  ...["account list", "nodes", "secret rotate", "backup to", "query select", "move --to x"].map(
    (line) => mistake(line, /there is no database at .*\n {2}hint: name the folder .*--data/, 5),
  ),
  mistake(
    "query select --database-url postgres://x@127.0.0.1:1/x",
    /^postrider: PostgreSQL at 127\.0\.0\.1:1, database x: nothing listens there/,
  ),
  mistake("simulate retries --retry-delay 1000*", /^postrider: --retry-delay: ends too early\n$/),
  mistake("simulate retries --answer 200 --answer 999", /^postrider: --answer: must be /),
  mistake("simulate schedule never", /^postrider: the expression: has 1 field/),
  mistake("simulate queue --takes 1s --takes 5x", /^postrider: --takes: is not a duration/),
  mistake("simulate queue --messages 0", /^postrider: --messages: must be /),
];

test("a mistake is told in a sentence, with what there is, and its exit code", async (t) => {
  const terminal = new Terminal(freshFolder(t));
  for (const { words, says, exitCode } of MISTAKES) {
    const { output, errors } = await terminal.run(words, exitCode);
    assert.match(errors, says, words.join(" "));
    assert.equal(output, "", words.join(" "));
  }
});

test(
  "an output that cannot be written is told in a sentence",
  { skip: existsSync("/dev/full") ? false : "there is no /dev/full" },
  async (t) => {
    const terminal = new Terminal(freshFolder(t));
    for (const line of ["simulate retries", "simulate schedule '* * * * *'", "doctor"]) {
      const { errors } = await terminal.shell(`postrider ${line} > /dev/full`, 1);
      assert.match(errors, /^postrider: the output cannot be written \(ENOSPC\)\n$/, line);
    }
  },
);

test("with --json a failure is an object, whoever runs the command", async (t) => {
  const terminal = new Terminal(freshFolder(t));
  for (const line of ["status", "account list", "query select", "verify nofile"]) {
    const exitCode = line === "status" ? 3 : 5;
    const words = [...line.split(" "), "--json"];
    const { errors } = await terminal.run([...words, ...ELSEWHERE(line)], exitCode);
    assert.equal(typeof (JSON.parse(errors) as { error: unknown }).error, "string", line);
  }
});

const ELSEWHERE = (line: string): string[] =>
  line === "status" ? ["--server", "http://127.0.0.1:1"] : [];
