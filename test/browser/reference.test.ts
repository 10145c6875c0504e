/** The reference of the API at `/docs`, for those who are signed in and those who are not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { enterToken, requireSound, signInByName, WIDTHS } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";
import { ADMIN } from "../support/console-call.ts";

const SERVED = { mode: "serve", flags: { adminPassword: ADMIN[1] } } as const;

const heading = (page: Page) => page.locator("article h2");
const menuOf = (page: Page) => page.getByRole("navigation", { name: "Main", exact: true });

browserJourneys("the reference of the API", SERVED, (journey) => {
  const parts: Record<string, { at: string; shows: RegExp }> = {
    "the introduction": { at: "#introduction", shows: /stored durably/ },
    "an endpoint": { at: "#publishMessage", shows: /\$POSTRIDER_URL\/v2\/publish/ },
    "an endpoint with a body": { at: "#publishBatch", shows: /Refused with/ },
    "a feature": { at: "#schedules", shows: /each time its cron expression fires/ },
    "a header": { at: "#header-svc-retries", shows: /Retries after the first attempt/ },
    "a refusal": { at: "#refused-429", shows: /Too Many Requests/ },
    schemas: { at: "#schemas", shows: /Objects that answers share/ },
    "a schema": { at: "#schema-LogEntry", shows: /When the state changed/ },
  };
  for (const [size, width] of Object.entries(WIDTHS)) {
    test(`every part without signing in, ${size}`, async (t) => {
      const watched = await journey.open(t, undefined, { width });
      for (const { at, shows } of Object.values(parts)) {
        await watched.page.goto(`${journey.service.url}/docs${at}`);
        await watched.page.getByText(shows).first().waitFor();
        assert.equal(await watched.page.locator("h1").count(), 1);
        await requireSound(watched);
      }
    });
  }

  test("a search narrows the contents, and is in the address", async (t) => {
    const { page } = await journey.open(t, undefined);
    await page.goto(`${journey.service.url}/docs`);
    const contents = page.getByRole("navigation", { name: "Contents" });
    await contents.getByRole("link", { name: "Publish a message" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("pause queuename}/p");
    await contents.getByText("1 match").waitFor();
    await contents.getByRole("link", { name: "Pause a queue" }).click();
    assert.equal(await heading(page).textContent(), "Pause a queue");
    assert.match(page.url(), /\/docs\?q=pause\+queuename%7D%2Fp#pauseQueue$/);
    await page.reload();
    await contents.getByText("1 match").waitFor();
    assert.equal(await heading(page).textContent(), "Pause a queue");
    await page.getByLabel("Search the reference").fill("no such thing");
    await contents.getByText("0 matches").waitFor();
    await page.getByRole("button", { name: "Show everything" }).click();
    await contents.getByRole("link", { name: "Publish a message" }).waitFor();
  });

  test("keys and links lead from part to part, and back", async (t) => {
    const { page } = await journey.open(t, undefined);
    await page.goto(`${journey.service.url}/docs#publishMessage`);
    await heading(page).getByText("Publish a message").waitFor();
    await page.keyboard.press("j");
    await heading(page).getByText("Enqueue a message").waitFor();
    await page.keyboard.press("k");
    await heading(page).getByText("Publish a message").waitFor();
    await page.getByRole("link", { name: "Accepted" }).first().click();
    await heading(page).getByText("Accepted").waitFor();
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Accepted");
    await page.goBack();
    await heading(page).getByText("Publish a message").waitFor();
    await page.getByRole("link", { name: "413" }).click();
    await page.locator("#refused-413:focus").waitFor();
  });

  test("narrow, the contents and a part take turns", async (t) => {
    const watched = await journey.open(t, undefined, { width: WIDTHS.narrow, theme: "dark" });
    const { page } = watched;
    await page.goto(`${journey.service.url}/docs`);
    await page.getByRole("link", { name: "List log entries" }).click();
    await heading(page).getByText("List log entries").waitFor();
    assert.equal(await page.getByLabel("Search the reference").isVisible(), false);
    await page.getByRole("link", { name: "Contents" }).click();
    await page.getByLabel("Search the reference").waitFor();
    await requireSound(watched);
  });

  test("it leads to signing in, and the sign-in and the menu lead to it", async (t) => {
    const watched = await journey.open(t, undefined);
    const { page } = watched;
    await page.goto(`${journey.service.url}/docs`);
    await page.getByRole("link", { name: "Sign in", exact: true }).click();
    await page.getByLabel("Token").waitFor();
    await page.getByRole("link", { name: "API reference" }).click();
    await page.getByRole("link", { name: "Sign in", exact: true }).click();
    await enterToken(page, journey.service.token);
    await menuOf(page).getByRole("link", { name: "API reference" }).click();
    await page.getByRole("heading", { name: "API reference" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "Sign in", exact: true }).count(), 0);
    await page.getByRole("link", { name: "Messages", exact: true }).first().waitFor();
    await requireSound(watched);
  });

  test("the operator has it too", async (t) => {
    const { page } = await journey.open(t);
    await signInByName(page, journey.service.url, ADMIN);
    await menuOf(page).getByRole("link", { name: "API reference" }).click();
    await page.getByText("stored durably").waitFor();
  });
});
