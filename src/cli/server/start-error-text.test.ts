import assert from "node:assert/strict";
import { test } from "node:test";

import { Problem } from "../../core/problem.ts";
import { StoreOpenError } from "../../store/store-open-error.ts";
import { startErrorText } from "./start-error-text.ts";

const PATH = "/data/postrider.db.lock";

for (const [code, sentence] of [
  ["EACCES", /^\/data\/postrider\.db\.lock cannot be .* by this user\. Change .*--data \(EACCES: /],
  ["EPERM", /^\/data\/postrider\.db\.lock cannot be .* by this user\. Change .*--data \(EPERM: /],
  ["EROFS", /^\/data\/postrider\.db\.lock is in a read-only file system\. Make it writable/],
  ["ENOSPC", /^the disk is full at \/data\/postrider\.db\.lock\. Make room/],
  ["ENAMETOOLONG", /^\/data\/postrider\.db\.lock is too long\. Name a shorter folder with --data/],
  [
    "ELOOP",
    /^\/data\/postrider\.db\.lock is a link that leads to itself\. Mend it, or name.*--data/,
  ],
  ["EISDIR", /^\/data\/postrider\.db\.lock is a folder where a file should be\. Move it away/],
] as const) {
  test(`${code} of a file is a sentence with its path and what to do`, () => {
    const error = Object.assign(new Error(`${code}: what the system says, open '${PATH}'`), {
      code,
      syscall: "open",
      path: PATH,
    });
    assert.match(startErrorText(error), sentence);
  });
}

test("an address that cannot be listened on is named, with the flag to change", () => {
  const listening = { syscall: "listen", address: "192.0.2.1", port: 80 };
  const told = (code: string): string =>
    startErrorText(Object.assign(new Error(`listen ${code}`), { ...listening, code }));
  assert.match(told("EACCES"), /may not listen on port 80 on 192\.0\.2\.1\. Give --port/);
  assert.match(told("EADDRNOTAVAIL"), /^192\.0\.2\.1 is no address of this machine\. Give --host/);
});

test("what the service refuses is its sentence, and a defect shows its stack", () => {
  assert.equal(startErrorText(new StoreOpenError("it is damaged")), "it is damaged");
  assert.equal(
    startErrorText(new Problem("overloaded", "the store is away", 1)),
    "the store is away",
  );
  assert.equal(startErrorText(new Error("too old")), "too old");
  assert.match(startErrorText(new TypeError("a defect")), /^TypeError: a defect\n +at /);
});
