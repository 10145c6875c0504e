/** Panels that show the same ask for it once, and an action of one shows in the others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { signIn } from "../support/browser.ts";
import { type BrowserJourney, browserJourneys, type Ending } from "../support/browser-journeys.ts";
import { eventually } from "../support/eventually.ts";

browserJourneys("answers that panels share", {}, (journey) => {
  test("the menu and the settings ask for the account once, at each poll too", async (t) => {
    const { page, asked } = await watched(journey, t, "/settings", "Usage against limits");
    assert.equal(asked("/v2/account"), 1);
    await poll(page, 15_000, "/v2/account");
    assert.equal(asked("/v2/account"), 2);
  });

  test("a hidden tab asks for nothing until it is shown", async (t) => {
    const { page, asked } = await watched(journey, t, "/settings", "Usage against limits");
    const before = asked("/v2/");
    await setHidden(page, true);
    await page.clock.runFor(120_000);
    assert.equal(asked("/v2/"), before);
    const answered = answerOf(page, "/v2/account");
    await setHidden(page, false);
    await answered;
    assert.equal(asked("/v2/account"), 2);
  });

  test("a group that is created in one panel is counted in the menu and listed at once", async (t) => {
    const { page } = await journey.open(t, "/groups");
    await page.getByText("No URL group yet").waitFor();
    await page.getByRole("button", { name: "New group" }).first().click();
    const dialog = page.locator("dialog");
    await dialog.getByLabel("Group", { exact: true }).fill("orders");
    await dialog.getByLabel("URL", { exact: true }).fill("https://example.com/orders");
    await dialog.getByRole("button", { name: "Create group" }).click();
    // The menu polls every half minute, which is longer than a page is waited for.
    await page.getByRole("link", { name: "URL groups 1" }).waitFor();
    await page
      .getByText("https://example.com/orders")
      .or(page.getByText("orders"))
      .first()
      .waitFor();
  });
});

/** What a browser does when another tab is chosen. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  `);
}

/** A page that shows a text, whose clock only the test moves; and how often it has asked for a path. */
async function watched(journey: BrowserJourney, t: Ending, path: string, text: string) {
  const { url, token } = journey.service;
  const { page } = await journey.open(t);
  const paths: string[] = [];
  page.on("request", (request) => paths.push(new URL(request.url()).pathname));
  await signIn(page, url, token);
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(1_000);
  await page.goto(`${url}${path}`);
  await eventually(async () => {
    await page.clock.runFor(50);
    return (await page.getByText(text).isVisible()) || null;
  }, `${path} shows ${text}`);
  const asked = (wanted: string): number =>
    paths.filter((each) => (wanted.endsWith("/") ? each.startsWith(wanted) : each === wanted))
      .length;
  return { page, asked };
}

async function poll(page: Page, ms: number, path: string): Promise<void> {
  const answered = answerOf(page, path);
  await page.clock.runFor(ms);
  await answered;
}

function answerOf(page: Page, path: string): Promise<unknown> {
  return page.waitForResponse((response) => new URL(response.url()).pathname === path);
}
