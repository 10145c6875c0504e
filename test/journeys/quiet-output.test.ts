/** What the command writes to the terminal or a collector of logs holds no secret. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { freshFolder } from "../support/fresh-folder.ts";
import { canary, isWrittenIn } from "../support/canaries.ts";
import { Command } from "../support/command.ts";
import { freePort } from "../support/free-port.ts";
import { call } from "../support/http-call.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";

const SECRETS = {
  POSTRIDER_TOKEN: canary("token"),
  POSTRIDER_READ_ONLY_TOKEN: canary("read-only-token"),
  POSTRIDER_CURRENT_SIGNING_KEY: canary("current-signing-key"),
  POSTRIDER_NEXT_SIGNING_KEY: canary("next-signing-key"),
  POSTRIDER_SECRET_KEY: canary("secret-key"),
};
const PROXY_PASSWORD = canary("proxy");
const HIDDEN = [canary("body"), canary("header")];

for (const form of ["json", "pretty"]) {
  test(`a running service writes no secret (${form}, SQLite)`, async (t) => {
    await runWithSecrets(t, form, {});
  });

  test(
    `a running service writes no secret (${form}, PostgreSQL)`,
    { skip: postgresMissing() },
    async (t) => {
      const database = await freshDatabase();
      t.after(() => database.drop());
      await runWithSecrets(t, form, { POSTRIDER_DATABASE_URL: database.url });
    },
  );
}

test("a database that cannot be reached is told without its address", async (t) => {
  const environment = {
    ...SECRETS,
    POSTRIDER_DATABASE_URL: `postgres://me:${canary("database")}@127.0.0.1:1/x`,
  };
  const command = new Command(["serve", "--data", freshFolder(t), "--log", "json"], environment);
  assert.notEqual(await command.refuses(), 0);
  requireSilence(command, [...Object.values(SECRETS), canary("database")]);
});

test("settings are printed and refused without the secrets in them", async () => {
  const proxy = `http://me:${PROXY_PASSWORD}@proxy.test:3128`;
  const environment = {
    ...SECRETS,
    POSTRIDER_EGRESS_PROXY: proxy,
    POSTRIDER_DATABASE_URL: `postgres://me:${canary("database")}@127.0.0.1:1/x`,
  };
  const shown = new Command(["serve", "--print-config"], environment);
  assert.equal(await shown.ends(), 0);
  assert.match(shown.output, /^egress-proxy +\*{8}/m);
  const mistaken = {
    POSTRIDER_EGRESS_PROXY: `${proxy}/path`,
    POSTRIDER_DATABASE_URL: `my${environment.POSTRIDER_DATABASE_URL}`,
  };
  for (const [name, value] of Object.entries(mistaken)) {
    const refused = new Command(["serve", "--print-config"], { ...environment, [name]: value });
    assert.notEqual(await refused.ends(), 0);
    requireSilence(refused, [...Object.values(SECRETS), PROXY_PASSWORD, canary("database")]);
  }
  requireSilence(shown, [...Object.values(SECRETS), PROXY_PASSWORD, canary("database")]);
});

/** Makes an account, starts once more, and sends a message that cannot be delivered. */
async function runWithSecrets(
  t: TestContext,
  form: string,
  database: Readonly<Record<string, string>>,
): Promise<void> {
  const port = String(await freePort());
  const args = ["serve", "--port", port, "--data", freshFolder(t), "--log", form];
  const environment = { ...SECRETS, ...database };
  const first = new Command([...args, "--min-free-disk", "0"], environment);
  await isReady(first, port);
  await first.stop();

  const command = new Command([...args, "--min-free-disk", "0"], {
    ...environment,
    POSTRIDER_EGRESS_PROXY: `http://me:${PROXY_PASSWORD}@127.0.0.1:1`,
  });
  await isReady(command, port);
  const published = await call(`http://127.0.0.1:${port}`, "POST", "/v2/publish/http://far.test/", {
    token: SECRETS.POSTRIDER_TOKEN,
    headers: {
      "Svc-Retries": "0",
      "Svc-Redact-Fields": "body,headers",
      "Svc-Forward-X-Key": HIDDEN[1]!,
    },
    body: HIDDEN[0]!,
  });
  assert.equal(published.status, 200, published.text);
  await command.says(/egress proxy: connection refused/);
  await command.stop();
  requireSilence(command, [
    ...Object.values(SECRETS),
    ...HIDDEN,
    PROXY_PASSWORD,
    ...Object.values(database),
  ]);
}

async function isReady(command: Command, port: string): Promise<void> {
  await command.says(new RegExp(`127\\.0\\.0\\.1:${port}|"port":${port}`));
}

function requireSilence({ output, errors }: Command, secrets: readonly string[]): void {
  const text = output + errors;
  assert.notEqual(text, "");
  for (const secret of secrets) assert.ok(!isWrittenIn(text, secret), `${secret} in:\n${text}`);
}
