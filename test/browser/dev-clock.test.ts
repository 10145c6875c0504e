/** The clock of dev in the dashboard: it is put forward, and what is shown follows it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { requireSound, WIDTHS } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";
import { ADMIN, freshAccount } from "../support/console-call.ts";

browserJourneys("the clock of dev in the dashboard", {}, (journey) => {
  test("a person puts it forward, and the delayed message is sent", async (t) => {
    const { service, destination } = journey;
    await service.publish(`${destination.url}/later`, { "Svc-Delay": "20h" });
    const watched = await journey.open(t, "/messages");
    const { page } = watched;
    await page.getByRole("button", { name: /put it forward/ }).click();
    await page.getByRole("button", { name: "1 day" }).click();
    await requireSound(watched);
    const picture = process.env["PICTURES"];
    if (picture !== undefined) await page.screenshot({ path: `${picture}/clock-dialog.png` });
    await page.getByRole("button", { name: "Put forward by 1d" }).click();
    await page.getByText("The clock is 24 h ahead, and what came due is done.").waitFor();
    assert.equal(destination.to("/later").length, 1);
    await page.getByRole("button", { name: "Clock 24 h ahead: put it forward" }).waitFor();
    await page.locator("tbody").getByText("Delivered").waitFor();
    if (picture !== undefined) await page.screenshot({ path: `${picture}/clock-after.png` });
    await requireSound(watched);
    await page.getByRole("button", { name: /put it forward/ }).click();
    await page.getByRole("textbox", { name: "By" }).fill("30000d");
    await page.getByRole("button", { name: "Put forward by 30000d" }).click();
    await page.getByText("advance: the clock would be more than 3650d ahead").waitFor();
  });

  test("on a narrow side bar it is an icon with its name", async (t) => {
    const watched = await journey.open(t, "/messages", { width: WIDTHS.medium });
    const button = watched.page.getByRole("button", { name: /put it forward/ });
    await button.waitFor();
    const picture = process.env["PICTURES"];
    if (picture !== undefined)
      await watched.page.screenshot({ path: `${picture}/clock-medium.png` });
    await requireSound(watched);
  });
});

const SERVED = { mode: "serve", flags: { adminPassword: ADMIN[1] } } as const;
browserJourneys("the dashboard of serve", SERVED, (journey) => {
  test("has no clock to move", async (t) => {
    const { token } = await freshAccount(journey.service.url);
    const { page } = await journey.open(t, "/messages", { token });
    await page.getByRole("button", { name: "Theme" }).first().waitFor();
    assert.equal(await page.getByRole("button", { name: /put it forward/ }).count(), 0);
  });
});
