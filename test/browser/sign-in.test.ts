/** How one signs in to the dashboard, and when a session ends. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { enterToken, requireSound, signInByName, visit } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";
import { ADMIN, freshAccount } from "../support/console-call.ts";

const SERVED = { mode: "serve", flags: { adminPassword: ADMIN[1] } } as const;

browserJourneys("signing in to the dashboard", SERVED, (journey) => {
  before(async () => {
    await journey.service.call("POST", "/v2/queues", { body: '{"queueName":"orders"}' });
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

  test("no other screen is shown for a moment after signing in", async (t) => {
    const { url, token } = journey.service;
    for (const [home, enter] of [
      ["Overview", (page: Page) => enterToken(page, token)],
      ["Accounts", (page: Page) => signInByName(page, null, ADMIN)],
    ] as const) {
      const { page } = await journey.open(t);
      await page.goto(`${url}/login`);
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      await page.evaluate(COLLECT_SHOWN);
      await enter(page);
      await page.locator("main.page h1").getByText(home).waitFor();
      assert.deepEqual(await page.evaluate("[...shown]"), [home]);
    }
  });

  test("a wrong password is refused in words", async (t) => {
    const { page } = await journey.open(t);
    await signInByName(page, journey.service.url, ["admin", "wrong"]);
    await page.getByText("Name or password is wrong.").waitFor();
  });

  test("the next one to sign in sees nothing of what the one before saw", async (t) => {
    const { service } = journey;
    const other = await freshAccount(service.url);
    await service.publish("https://example.com/of-the-first", { "Svc-Delay": "1h" });
    const { page } = await journey.open(t, "/messages");
    await page.locator("tbody tr", { hasText: "/of-the-first" }).waitFor();
    await page.getByRole("link", { name: "Settings", exact: true }).click();
    await page.locator(".bar").getByRole("button", { name: "Sign out" }).click();
    // An answer that never comes: what is shown meanwhile is what the page has kept.
    await page.route("**/v2/logs?*", () => undefined);
    await enterToken(page, other.token);
    await page.locator("main.page h1").waitFor();
    await page.getByRole("link", { name: "Messages", exact: true }).first().click();
    await page.getByRole("heading", { name: "Messages" }).waitFor();
    assert.equal(await page.getByText("/of-the-first").count(), 0);
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
});

/** Keeps each heading that is on the page beside the menu, however short. */
const COLLECT_SHOWN = `
  window.shown = new Set();
  new MutationObserver(() => {
    if (document.querySelector("nav[aria-label=Main]") === null) return;
    for (const heading of document.querySelectorAll("h1")) shown.add(heading.textContent.trim());
  }).observe(document.body, { childList: true, subtree: true });
`;
