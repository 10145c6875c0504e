/** While a dialog is open, no key reaches what lies below it, and what was typed is not lost. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { requireSound, WIDTHS } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";
import { until } from "../support/eventually.ts";

browserJourneys("dialogs of the dashboard", {}, (journey) => {
  async function delivered(): Promise<string> {
    const id = await journey.service.publish(`${journey.destination.url}/known`);
    await journey.service.logUntil(id, "DELIVERED");
    return id;
  }

  test("keys below the sheet of keys do nothing, and work again when it is closed", async (t) => {
    const { page } = await journey.open(t, `/messages/${await delivered()}`);
    await page.getByRole("button", { name: /^Send again/ }).waitFor();
    const seen = writes(page);
    await page.keyboard.press("?");
    await page.getByRole("heading", { name: "Keys" }).waitFor();
    const url = page.url();
    for (const key of ["r", "e", "[", "g", "m", "?"]) await page.keyboard.press(key);
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    assert.equal(page.url(), url);
    assert.deepEqual(seen, []);
    // A `g` that was pressed below the dialog does not wait for its letter.
    await page.keyboard.press("e");
    await page.getByRole("heading", { name: "Edit and send" }).waitFor();
    assert.deepEqual(seen, []);
  });

  for (const width of [WIDTHS.wide, WIDTHS.narrow]) {
    test(`Esc asks before it throws away what was typed, ${width} px`, async (t) => {
      const watched = await journey.open(t, `/messages/${await delivered()}`, { width });
      const { page } = watched;
      await page.getByRole("button", { name: /^Send again/ }).waitFor();
      await page.keyboard.press("e");
      const dialog = page.locator("dialog");
      const question = dialog.getByText("Close and lose what you typed?");
      const body = dialog.getByLabel("Body");
      await body.fill("typed with care");
      await page.keyboard.press("Escape");
      await question.waitFor();
      await requireSound(watched);
      await page.keyboard.press("Escape");
      await question.waitFor({ state: "detached" });
      assert.equal(await body.inputValue(), "typed with care");
      await body.focus();
      await page.keyboard.press("Escape");
      await dialog.getByRole("button", { name: "Keep editing" }).click();
      assert.equal(await body.inputValue(), "typed with care");
      await page.keyboard.press("Escape");
      await question.waitFor();
      await dialog.getByRole("button", { name: "Close", exact: true }).click();
      await dialog.waitFor({ state: "detached" });
      assert.match(page.url(), /\/messages\/msg_/);
    });
  }

  test("the form of a message begins where it is sent", async (t) => {
    const { page } = await journey.open(t, "/messages");
    await page.getByRole("button", { name: "Send message" }).click();
    const url = page.locator("dialog").getByLabel("To");
    await url.waitFor();
    assert.equal(await url.evaluate((input) => input.matches(":focus")), true);
    await page.keyboard.type("https://example.com");
    assert.equal(await url.inputValue(), "https://example.com");
  });

  test("Esc closes a dialog in which nothing was typed, and only the dialog", async (t) => {
    const { page } = await journey.open(t, `/messages/${await delivered()}`);
    await page.getByRole("button", { name: /^Send again/ }).waitFor();
    await page.keyboard.press("e");
    await page.locator("dialog").getByLabel("Body").focus();
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    assert.match(page.url(), /\/messages\/msg_/);
    await page.keyboard.press("Escape");
    await page.waitForURL(/\/messages$/);
  });

  test("Esc in the question before a bulk action keeps the selection", async (t) => {
    journey.destination.respond = () => ({ status: 503 });
    const headers = { "Svc-Retries": "0", "Svc-Label": "dialogs" };
    for (const path of ["one", "two"]) {
      await journey.service.publish(`${journey.destination.url}/${path}`, headers);
    }
    await until(async () => {
      const { json } = await journey.service.call("GET", "/v2/dlq?label=dialogs");
      return (json["messages"] as unknown[]).length === 2;
    }, "two dead letters");
    const { page } = await journey.open(t, "/dead");
    await page.getByLabel(/^Select all 2 messages/).click();
    const seen = writes(page);
    await page.keyboard.press("r");
    const heading = page.getByRole("heading", { name: "Retry 2 messages?" });
    await heading.waitFor();
    await page.keyboard.press("x");
    await page.keyboard.press("Escape");
    await heading.waitFor({ state: "detached" });
    await page.getByText("2 selected").waitFor();
    assert.deepEqual(seen, []);
  });
});

function writes(page: Page): string[] {
  const seen: string[] = [];
  page.on("request", (request) => {
    if (request.method() !== "GET") seen.push(`${request.method()} ${request.url()}`);
  });
  return seen;
}
