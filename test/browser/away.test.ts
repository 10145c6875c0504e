/** While the server is away, the page says that, and nothing that it cannot know. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { browserJourneys } from "../support/browser-journeys.ts";

browserJourneys("the server is away", {}, (journey) => {
  test("a message whose log cannot be read has not lost it, and the tail is not live", async (t) => {
    const service = await journey.start(t);
    const id = await service.publish(`${journey.destination.url}/known`);
    await service.logUntil(id, "DELIVERED");
    const { page } = await journey.open(t, "/messages", { service });
    const row = page.locator("tbody tr", { hasText: "/known" });
    await row.waitFor();
    await page.getByRole("button", { name: /^Live/ }).waitFor();
    await service.stop();
    await page.getByRole("button", { name: /^Not connected/ }).waitFor();
    assert.equal(await page.getByRole("button", { name: /^Live/ }).count(), 0);
    await row.getByRole("link").first().click();
    await page.getByText("Cannot reach the server").first().waitFor();
    assert.equal(await page.getByText("no longer kept").count(), 0);
    assert.equal(await page.getByText("This message is not here").count(), 0);
  });

  test("the screen of the first message does not listen", async (t) => {
    const service = await journey.start(t);
    const { page } = await journey.open(t, "/messages", { service });
    await page.getByText("Listening").waitFor();
    assert.equal(await page.locator(".dot.live").count(), 2);
    await service.stop();
    await page.getByText("Not connected").waitFor();
    assert.equal(await page.getByText("Listening").count(), 0);
    assert.equal(await page.locator(".dot.live").count(), 0);
  });
});
