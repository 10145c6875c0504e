/** Who may sign in to the dashboard, what each of them sees, and when a session ends. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { requireSound, visit } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";
import { ADMIN, freshAccount } from "../support/console-call.ts";

const OPERATOR = ADMIN;

const SERVED = { mode: "serve", flags: { adminPassword: OPERATOR[1] } } as const;

browserJourneys("signing in to the dashboard", SERVED, (journey) => {
  before(async () => {
    await journey.service.call("POST", "/v2/schedules/https://example.com/report", {
      headers: { "Svc-Cron": "0 9 * * *", "Svc-Schedule-Id": "report" },
    });
    await journey.service.call("POST", "/v2/topics/partners/endpoints", {
      body: '{"endpoints":[{"url":"https://example.com/a","name":"a"}]}',
    });
    await journey.service.call("POST", "/v2/queues", { body: '{"queueName":"orders"}' });
    await journey.service.call("POST", "/v2/flowControl/slow/pin?parallelism=1");
  });
  test("with a token, which no script of the page can read", async (t) => {
    const watched = await journey.open(t);
    await visit(watched.page, journey.service.url, "/settings", journey.service.token);
    await watched.page.getByRole("heading", { name: "Settings" }).waitFor();
    const kept = await watched.page.evaluate(
      "JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])",
    );
    assert.equal(kept, '[{},{},""]');
    const [cookie] = await watched.page.context().cookies();
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, "Strict"]);
    await requireSound(watched);
    await watched.page.reload();
    await watched.page.getByRole("heading", { name: "Settings" }).waitFor();
    await watched.page.locator(".bar").getByRole("button", { name: "Sign out" }).click();
    await watched.page.getByLabel("Token").waitFor();
    await watched.page.reload();
    await watched.page.getByLabel("Token").waitFor();
  });

  test("as an account, with its name and password", async (t) => {
    const account = await freshAccount(journey.service.url);
    const watched = await journey.open(t);
    await signInByName(watched.page, journey.service.url, account.as);
    await watched.page.getByRole("link", { name: "Messages", exact: true }).first().waitFor();
    await watched.page.goto(`${journey.service.url}/settings`);
    await watched.page.getByText(`${account.as[0]}, plan paid`).waitFor();
    await requireSound(watched);
  });

  test("a wrong password is refused in words", async (t) => {
    const { page } = await journey.open(t);
    await signInByName(page, journey.service.url, ["admin", "wrong"]);
    await page.getByText("Name or password is wrong.").waitFor();
  });

  test("as the operator, who sees accounts and no messages", async (t) => {
    const watched = await journey.open(t);
    const { page } = watched;
    await signInByName(page, journey.service.url, OPERATOR);
    await page.getByRole("heading", { name: "Accounts" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "Messages" }).count(), 0);
    await requireSound(watched);
    for (const path of ["/messages", "/schedules", "/flow", "/groups"]) {
      await page.goto(`${journey.service.url}${path}`);
      await page.getByText("The operator sees accounts and nodes, never messages.").waitFor();
    }
    assert.deepEqual(watched.complaints, []);
  });

  test("an account has no screen of the operator", async (t) => {
    const watched = await journey.open(t);
    await visit(watched.page, journey.service.url, "/accounts", journey.service.token);
    await watched.page.getByText("There is no such page").waitFor();
    assert.deepEqual(watched.complaints, []);
  });

  test("a read-only token sees every set-up screen, and no action", async (t) => {
    const watched = await journey.open(t);
    const { page } = watched;
    const { readOnlyToken } = journey.service.credentials;
    const screens: Record<string, string> = {
      "/schedules": "report",
      "/schedules/report": "At 09:00 every day",
      "/flow": "orders",
      "/groups": "partners",
      "/groups/partners": "example.com",
      "/settings": "A read-only token may not see them.",
    };
    for (const [path, shows] of Object.entries(screens)) {
      await visit(page, journey.service.url, path, readOnlyToken);
      await page.getByText(shows).first().waitFor();
      await page.getByText("You are signed in with a read-only token.").waitFor();
      const buttons = await page.locator("main button").allInnerTexts();
      const allowed = /^(Sign out|System|Light|Dark)$/;
      assert.deepEqual(
        buttons.filter((text) => !allowed.test(text)),
        [],
        path,
      );
      await page.keyboard.press("c");
      assert.equal(await page.locator("dialog").count(), 0);
    }
    await requireSound(watched);
  });

  test("a token that is revoked ends the session that began with it", async (t) => {
    const made = await journey.service.call("POST", "/v2/account/tokens", {
      body: '{"name":"short-lived","scope":"full"}',
    });
    const watched = await journey.open(t);
    await visit(watched.page, journey.service.url, "/flow", made.json["token"] as string);
    await watched.page.getByText("orders").first().waitFor();
    await journey.service.call("DELETE", `/v2/account/tokens/${made.json["id"] as string}`);
    await watched.page.getByText("Your session has ended").waitFor();
    assert.equal(await watched.page.getByText("orders").count(), 0);
  });

  test("in dev one is signed in already, and can become the operator", async (t) => {
    const dev = await journey.start(t);
    const watched = await journey.open(t, undefined, { service: dev });
    const { page } = watched;
    await page.goto(`${dev.url}/settings`);
    await page.getByText("since this is a development server").waitFor();
    await page.locator(".bar").getByRole("button", { name: "Sign out" }).click();
    await signInByName(page, null, ["admin", "postrider"]);
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await page.getByText("admin, operator").waitFor();
    await requireSound(watched);
  });
});

/** Fills in the form of the page, which is opened first unless it is there. */
async function signInByName(
  page: Page,
  origin: string | null,
  [name, password]: readonly [string, string],
): Promise<void> {
  if (origin !== null) await page.goto(origin);
  await page.getByRole("button", { name: "Sign in as operator" }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}
