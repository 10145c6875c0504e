/** Everyone knows what `dev` prints: `serve` takes none of it, whatever the environment holds. */
import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { publicCredentials } from "../../src/operations/account/public-credentials.ts";
import { Command } from "../support/command.ts";
import { freshFolder } from "../support/fresh-folder.ts";

const [first, second] = publicCredentials();

async function refuses(
  t: TestContext,
  environment: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
  place = Object.keys(environment)[0],
): Promise<void> {
  const data = freshFolder(t);
  const command = Command.serve(t, ["--data", data, ...flags], environment);
  assert.equal(await command.refuses(), 1);
  const says = `postrider: ${place} is a credential of postrider dev, which is public; `;
  assert.ok(command.errors.startsWith(says), command.errors);
  assert.match(command.errors, /^[^\n]+\n$/);
  assert.deepEqual(readdirSync(data), [], "nothing was created");
}

test("serve refuses the tokens of dev, of each of its accounts, in any spelling", async (t) => {
  await refuses(t, { POSTRIDER_TOKEN: first!.token });
  await refuses(t, { POSTRIDER_TOKEN: second!.token.replace(/=+$/, "") });
  const spelled = btoa('{ "UserID": "defaultUser", "Password": "defaultPassword" }');
  await refuses(t, { POSTRIDER_TOKEN: spelled });
  await refuses(t, { POSTRIDER_READ_ONLY_TOKEN: first!.readOnlyToken });
});

test("serve refuses the signing keys of dev, whichever key they are given as", async (t) => {
  await refuses(t, { POSTRIDER_CURRENT_SIGNING_KEY: first!.currentSigningKey });
  await refuses(t, { POSTRIDER_NEXT_SIGNING_KEY: second!.nextSigningKey });
  await refuses(t, { POSTRIDER_NEXT_SIGNING_KEY: first!.currentSigningKey });
});

test("serve refuses the operator's password of dev, also from a flag or a file", async (t) => {
  await refuses(t, { POSTRIDER_ADMIN_PASSWORD: "postrider" });
  await refuses(t, {}, ["--admin-password", "postrider"], "--admin-password");
  const config = join(freshFolder(t), "config.json");
  writeFileSync(config, JSON.stringify({ "admin-user": "root", "admin-password": "postrider" }));
  await refuses(t, {}, ["--config", config], `admin-password in ${config}`);
});

test("dev takes its own, and serve takes others", async (t) => {
  const environment = { POSTRIDER_TOKEN: first!.token };
  await Command.serve(t, ["--data", freshFolder(t)], environment, "dev").stopWhenReady();
  const own = { POSTRIDER_TOKEN: btoa('{"UserID":"defaultUser","Password":"a secret of mine"}') };
  await Command.serve(t, ["--data", freshFolder(t)], own).stopWhenReady();
});
