import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { Flags } from "../flags.ts";
import { note, Output, progress, remark, tableText, tell } from "./output.ts";

/** What a terminal of 40 columns gets, from both streams in their order. */
function terminal(t: TestContext): { shown: () => string } {
  let text = "";
  const { isTTY, columns } = process.stderr;
  Object.assign(process.stderr, { isTTY: true, columns: 40 });
  const write = (given: unknown): boolean => {
    text += String(given);
    return true;
  };
  const mocks = [process.stdout, process.stderr].map((stream) =>
    t.mock.method(stream, "write", write),
  );
  const shown = (): string => {
    for (const mock of mocks) mock.mock.restore();
    Object.assign(process.stderr, { isTTY, columns });
    return text;
  };
  t.after(shown);
  return { shown };
}

const goOn = (): void => undefined;
const GONE = "\r\u001b[2K";

test("a progress line is gone before anything else is printed", (t) => {
  const { shown } = terminal(t);
  const output = new Output(new Flags({}));
  for (const print of [
    () => output.text("stored\n"),
    () => tell(new Flags({}), {}, ["stored"]),
    () => remark("stored"),
  ]) {
    progress("storing");
    print();
  }
  progress("");
  assert.equal(shown(), `${GONE}storing${GONE}stored\n`.repeat(3));
});

test("Ctrl-C takes a progress line away, and then ends the command as without one", (t) => {
  const { shown } = terminal(t);
  const kill = t.mock.method(process, "kill", () => true);
  const listeners = process.listenerCount("SIGINT");
  progress("storing");
  process.emit("SIGINT");
  assert.equal(process.listenerCount("SIGINT"), listeners);
  assert.deepEqual(kill.mock.calls[0]?.arguments, [process.pid, "SIGINT"]);
  assert.equal(shown(), `${GONE}storing${GONE}`);
});

test("a command that goes on after Ctrl-C shows its progress again", (t) => {
  const { shown } = terminal(t);
  const kill = t.mock.method(process, "kill", () => true);
  process.on("SIGINT", goOn);
  t.after(() => process.off("SIGINT", goOn));
  progress("one");
  process.emit("SIGINT");
  progress("two");
  progress("");
  assert.equal(kill.mock.callCount(), 0);
  assert.equal(shown(), `${GONE}one${GONE}${GONE}two${GONE}`);
  assert.deepEqual(process.listeners("SIGINT").slice(-1), [goOn]);
});

test("a quiet command shows no progress", (t) => {
  const { shown } = terminal(t);
  new Output(new Flags({ quiet: true })).progress("storing");
  assert.equal(shown(), "");
});

test("without a progress line nothing is taken away", (t) => {
  const { shown } = terminal(t);
  progress("");
  note("no more");
  assert.equal(shown().includes(GONE), false);
});

test("characters of two cells keep the columns of a table", () => {
  const rows = [
    ["NAME", "COUNT"],
    ["\u4f60\u597d", "1"],
    ["\u{1f680}", "2"],
    ["e\u0301te", "3"],
  ];
  assert.equal(tableText(rows), "NAME  COUNT\n\u4f60\u597d  1\n\u{1f680}    2\ne\u0301te   3\n");
});

test("JSON shows a terminal nothing that it would obey, and says the same", (t) => {
  const { shown } = terminal(t);
  const given = { body: "\u009b31m \u202eback \u0007 \u4f60\u597d" };
  const output = new Output(new Flags({ json: true }));
  output.one(given, () => "");
  output.json(given);
  const text = shown();
  assert.match(text, /\\u009b31m \\u202eback \\u0007 \u4f60\u597d/);
  const [, first, second] = /^(\{\n[^]*\n\})\n(\{.*\})\n$/.exec(text)!;
  assert.deepEqual([JSON.parse(first!), JSON.parse(second!)], [given, given]);
});
