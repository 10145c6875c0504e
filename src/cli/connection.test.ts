import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { freshFolder } from "../../test/support/fresh-folder.ts";
import { writeControlFile } from "../config/control-file.ts";
import { devCredentials } from "../operations/account/public-credentials.ts";
import { loginAddress, connectionOf } from "./connection.ts";
import { Flags } from "./flags.ts";
import { saveProfile } from "./profiles.ts";

const HOME = { url: "https://home.example", token: "home-token" };
const STAGING = { url: "https://staging.example", token: "staging-token" };
const VARIABLES = ["POSTRIDER_URL", "POSTRIDER_TOKEN", "POSTRIDER_PROFILE", "XDG_CONFIG_HOME"];

/** An environment without settings or profiles, and a folder without data. */
function fresh(t: TestContext): string {
  const before = VARIABLES.map((name) => [name, process.env[name]] as const);
  t.after(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  for (const name of VARIABLES) delete process.env[name];
  process.env["XDG_CONFIG_HOME"] = freshFolder(t);
  return freshFolder(t);
}

/** Other test files share the process, so it is in the folder only while the address is read. */
function within<Value>(folder: string, read: () => Value): Value {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return read();
  } finally {
    process.chdir(before);
  }
}

const asking =
  (folder: string) =>
  (given: Record<string, unknown> = {}) =>
    within(folder, () => connectionOf(new Flags(given)));

test("the file of a folder names a server on this machine, and no other", async (t) => {
  const folder = fresh(t);
  const asked = asking(folder);
  const data = join(folder, ".postrider");
  mkdirSync(data);
  process.env["POSTRIDER_TOKEN"] = "secret";
  writeControlFile(data, { url: "http://0.0.0.0:9123", secret: "" });
  assert.deepEqual(await asked(), { url: "http://127.0.0.1:9123", token: "secret" });
  for (const url of ["https://evil.example", "http://127.0.0.1.evil.example:80", "http://a@b"]) {
    writeControlFile(data, { url, secret: "" });
    await assert.rejects(asked(), /is not on this machine/);
  }
});

test("the token of the environment goes where the environment or the command says", async (t) => {
  const asked = asking(fresh(t));
  process.env["POSTRIDER_TOKEN"] = "secret";
  assert.equal((await asked()).token, "secret");
  saveProfile("default", HOME);
  saveProfile("staging", STAGING);
  assert.deepEqual(await asked(), HOME);
  assert.deepEqual(await asked({ profile: "staging" }), STAGING);
  assert.equal((await asked({ token: "given" })).token, "given");
  assert.equal((await asked({ server: "https://x.example" })).token, "secret");
  process.env["POSTRIDER_URL"] = "https://y.example";
  assert.deepEqual(await asked(), { url: "https://y.example", token: "secret" });
});

test("a profile that the environment names counts as one that the command names", async (t) => {
  const asked = asking(fresh(t));
  process.env["POSTRIDER_URL"] = "https://production.example";
  process.env["POSTRIDER_TOKEN"] = "secret";
  process.env["POSTRIDER_PROFILE"] = "staging";
  await assert.rejects(asked(), /there is no profile staging/);
  await assert.rejects(asked({ server: "https://x.example" }), /there is no profile staging/);
  saveProfile("staging", STAGING);
  assert.deepEqual(await asked(), STAGING);
});

test("login needs no profile of that name yet", (t) => {
  const folder = fresh(t);
  process.env["POSTRIDER_PROFILE"] = "staging";
  assert.equal(
    within(folder, () => loginAddress(new Flags({}))),
    "http://127.0.0.1:8080",
  );
  assert.equal(loginAddress(new Flags({ server: STAGING.url })), STAGING.url);
});

test("without a token, only a server on this machine gets that of dev", async (t) => {
  const asked = asking(fresh(t));
  assert.equal((await asked()).token, devCredentials().token);
  await assert.rejects(asked({ server: "https://x.example" }), /a token for .* is needed/);
});

test("profiles that cannot be read are not taken for none, and so not replaced", (t) => {
  fresh(t);
  mkdirSync(join(process.env["XDG_CONFIG_HOME"]!, "postrider/profiles.json"), { recursive: true });
  assert.throws(() => saveProfile("default", HOME), /cannot be read \(EISDIR\)/);
});
