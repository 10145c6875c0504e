/** What an account, a read-only token, the operator and a developer see of the dashboard. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { requireSound, signInByName, visit } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";
import { ADMIN } from "../support/console-call.ts";

const SERVED = { mode: "serve", flags: { adminPassword: ADMIN[1] } } as const;

browserJourneys("who is signed in to the dashboard", SERVED, (journey) => {
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

  test("as the operator, who sees accounts and no messages", async (t) => {
    const watched = await journey.open(t);
    const { page } = watched;
    await signInByName(page, journey.service.url, ADMIN);
    await page.getByRole("heading", { name: "Accounts" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "Messages" }).count(), 0);
    await requireSound(watched);
    for (const path of ["/messages", "/schedules", "/flow", "/groups"]) {
      await page.goto(`${journey.service.url}${path}`);
      await page
        .getByText("Signed in as the operator, you see accounts and nodes, and no messages.")
        .waitFor();
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
      "/settings": "Sign in with the main token of the account",
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

  test("a named token has the screens of the account, and neither tokens nor signing keys", async (t) => {
    const watched = await journey.open(t);
    const { page } = watched;
    const named = await journey.service.call("POST", "/v2/account/tokens", {
      body: '{"name":"ci","scope":"full"}',
    });
    await visit(page, journey.service.url, "/settings", String(named.json["token"]));
    await page.getByText("full access, without tokens and signing keys").waitFor();
    const reason = page.getByText("Sign in with the main token of the account");
    assert.equal(await reason.count(), 2);
    for (const name of ["Rotate…", "New token"]) {
      assert.equal(await page.getByRole("button", { name }).count(), 0, name);
    }
    await requireSound(watched);
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
