/** What makes the defects of `npm run mutants -- --generated`, and the rows of those that may survive. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createVirtualFileSystem } from "typescript/unstable/fs";
import { API } from "typescript/unstable/sync";

import { type Mutation, mutationsOf } from "../mutants/generated/mutations.ts";
import { shuffled } from "../mutants/generated/sample.ts";
import { described, isListed, stale } from "../mutants/generated/survivor.ts";
import { SURVIVORS } from "../mutants/generated/survivors.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

test("every survivor names code that is there, once, and a reason", () => {
  assert.deepEqual(stale(SURVIVORS, ROOT), []);
  assert.deepEqual(
    SURVIVORS.filter(({ lines, become, reason }) => lines === become || reason.length < 20),
    [],
  );
  const keys = SURVIVORS.map(({ file, lines, become }) => JSON.stringify([file, lines, become]));
  assert.equal(new Set(keys).size, keys.length);
});

test("a row is stale when its line or its file is gone", () => {
  const row = { file: "package.json", lines: '"name": "postrider",', become: "", reason: "" };
  assert.deepEqual(stale([row], ROOT), []);
  assert.equal(stale([{ ...row, lines: "no such line" }], ROOT).length, 1);
  assert.equal(stale([{ ...row, file: "no-such-file.ts" }], ROOT).length, 1);
});

test("a defect is known by its file and its lines before and after", () => {
  const text = "const a = 1;\n  if (a < 2) stop();\nend();\n";
  const found = described("a.ts", text, { start: 21, end: 22, replacement: "<=" });
  assert.deepEqual(found, {
    file: "a.ts",
    lines: "if (a < 2) stop();",
    become: "if (a <= 2) stop();",
  });
  const row = { ...found, reason: "" };
  assert.ok(isListed([row], found));
  assert.ok(!isListed([row], { ...found, become: "if (a > 2) stop();" }));
  assert.ok(!isListed([row], { ...found, file: "b.ts" }));
});

const WIDE = 'const u = "üß€𝄞 x"; const c = a < b;';
const CASES = [
  ["if (a < 1) b();", ["true", "false", "(a <= 1)", "2", ";"]],
  ["const c = a && b;", ["(a || b)", "a", "b"]],
  ["const c = a ?? b;", ["a", "b"]],
  ["const c = a === !b;", ["(a !== !b)", "b"]],
  ["const c = a ? 1 : 2;", ["true", "false", "2", "3"]],
  ["const c = [a, ...b];", ["", ""]],
  ["const c = { a: true, ...b };", ["", "false", ""]],
  ["const c = Math.min(a, b) + 1;", ["(Math.min(a, b) - 1)", "max", "2"]],
  ["const c = a.filter(b).some(b);", ["a", "every"]],
  ['const c = "name";', ['""']],
  ['const c = "a sentence for people";', []],
  ['const c = { name: text("For people.", "example"), of: integer(7) };', ["", ""]],
  ['const c = { examples: [{ a: 1 }], description: "For people.", b };', [""]],
  ['const c = headers("For people.", { Accept: ["example"] });', []],
  ['import { a } from "b";', []],
  ['type C = "a" | 1;', []],
  ["while (a) return;", []],
] as const;

describe("defects of", () => {
  const codes = [WIDE, ...CASES.map(([code]) => code)];
  const files = Object.fromEntries(codes.map((code, index) => [`/${index}.ts`, code]));
  const settings = { "/tsconfig.json": JSON.stringify({ files: Object.keys(files) }) };
  const fs = createVirtualFileSystem({ ...files, ...settings });
  const compiler = new API({ cwd: "/", fs });
  const snapshot = compiler.updateSnapshot({ openProjects: ["/tsconfig.json"] });
  const { program } = snapshot.getProjects()[0]!;
  after(() => compiler.close());

  const mutations = (code: string): Mutation[] =>
    mutationsOf(program.getSourceFile(`/${codes.indexOf(code)}.ts`)!);

  for (const [code, expected] of CASES) {
    test(code, () => {
      const found = mutations(code).map(({ replacement }) => replacement);
      assert.deepEqual(found.toSorted(), [...expected].toSorted());
    });
  }

  test("text with other letters before them have its offsets", () => {
    const [{ start, end }] = mutations(WIDE) as [Mutation];
    assert.equal(WIDE.slice(start, end), "a < b");
  });
});

test("a sample is decided by its seed", () => {
  const items = Array.from({ length: 50 }, (_, index) => index);
  assert.deepEqual(shuffled(items, 7, String), shuffled(items, 7, String));
  assert.notDeepEqual(shuffled(items, 7, String), shuffled(items, 8, String));
  assert.deepEqual(
    shuffled(items, 0, String).toSorted((a, b) => a - b),
    items,
  );
});

test("an item more or less leaves the order of the others as it is", () => {
  const items = Array.from({ length: 50 }, (_, index) => index);
  const others = items.filter((item) => item !== 20);
  assert.deepEqual(
    shuffled(items, 7, String).filter((item) => item !== 20),
    shuffled(others, 7, String),
  );
});
