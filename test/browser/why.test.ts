/** Why a message failed or waits is said where it is listed, without a click. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { requireSound, WIDTHS } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";

browserJourneys("why, in the dashboard", {}, (journey) => {
  test("rows of failed and retried messages show the status and what was answered", async (t) => {
    const { service, destination } = journey;
    destination.respond = ({ url }) =>
      url === "/html"
        ? { status: 502, body: "<html><head><title>Bad Gateway of Acme</title></head></html>" }
        : { status: 422, body: '{"error":{"message":"no such sku"}}' };
    const dead = await service.publish(`${destination.url}/dead`, { "Svc-Retries": "0" });
    const later = { "Svc-Retry-Delay": "3600000" };
    const retried = await service.publish(`${destination.url}/html`, later);
    await service.logUntil(dead, "FAILED");
    await service.logUntil(retried, "RETRY");
    for (const path of ["/messages", "/messages?state=FAILED", "/messages?state=RETRY"]) {
      const watched = await journey.open(t, path);
      const { page } = watched;
      if (!path.endsWith("RETRY")) await row(page, "/dead").getByText("422 no such sku").waitFor();
      if (!path.endsWith("FAILED"))
        await row(page, "/html")
          .getByText(/^502 Bad Gateway/)
          .waitFor();
      await requireSound(watched);
    }
    const narrow = await journey.open(t, "/messages", { width: WIDTHS.narrow });
    await row(narrow.page, "/dead").getByText("422 no such sku").waitFor();
    await requireSound(narrow);
  });

  test("a held message says which limit holds it, until when, and which buttons would not help", async (t) => {
    const { service, destination } = journey;
    destination.respond = () => ({});
    const key = { "Svc-Flow-Control-Key": "stripe", "Svc-Flow-Control-Value": "rate=1, period=1h" };
    await service.logUntil(await service.publish(`${destination.url}/one`, key), "DELIVERED");
    const held = await service.publish(`${destination.url}/two`, key);
    const watched = await journey.open(t, `/messages/${held}`);
    const { page } = watched;
    await page.getByText(/^Key stripe has used up its rate\. It opens in \d+ min, at /).waitFor();
    await requireSound(watched);
    const now = page.getByRole("button", { name: "Send now" });
    assert.equal(await now.getAttribute("aria-disabled"), "true");
    assert.match((await now.getAttribute("title")) ?? "", /It is due already\. Key stripe/);
    const again = page.getByRole("button", { name: /^Send again/ });
    assert.match((await again.getAttribute("title")) ?? "", /would be sent twice/);
    await page.goto(`${service.url}/messages?state=CREATED`);
    await row(page, "/two")
      .getByText(/key stripe, opens in/)
      .waitFor();
  });

  test("what waits has a row for each reason, none is left out, and each opens its list", async (t) => {
    const service = await journey.start(t);
    const { destination } = journey;
    await service.post("/v2/queues", { queueName: "rest", paused: true });
    await service.enqueue("rest", `${destination.url}/paused`);
    for (let host = 0; host < 12; host++) {
      await service.publish(`http://host-${host}.example.com/later`, { "Svc-Delay": "1h" });
    }
    const watched = await journey.open(t, "/", { service });
    const { page } = watched;
    const card = page.locator("article", { hasText: "What is waiting, and why" });
    await card.getByText("13 messages").waitFor();
    await card.getByText("and 9 more places").click();
    await card.getByText("host-11.example.com").waitFor();
    await requireSound(watched);
    await card.getByRole("link", { name: "Paused" }).click();
    await page.waitForURL("**/messages?waiting=paused&queue=rest");
    await row(page, "/paused").waitFor();
    assert.equal(await page.locator("tbody tr").count(), 1);
    await page.goBack();
    await card.getByRole("link", { name: "Open as list" }).click();
    await row(page, "/paused").waitFor();
    assert.equal(await page.locator("tbody tr").count(), 13);
    await page.getByRole("button", { name: "Cancel all…" }).click();
    await page.getByText("Cancel 13 messages?").waitFor();
  });

  test("a host fails since its last delivery, and no more once it has recovered", async (t) => {
    const service = await journey.start(t);
    const { destination } = journey;
    destination.respond = () => ({});
    const send = async (state: string): Promise<void> => {
      const id = await service.publish(`${destination.url}/x`, { "Svc-Retries": "0" });
      await service.logUntil(id, state);
    };
    await send("DELIVERED");
    destination.respond = () => ({ status: 500 });
    await Promise.all(Array.from({ length: 12 }, () => send("FAILED")));
    const watched = await journey.open(t, "/", { service });
    const { page } = watched;
    await page.getByText(/Nothing was delivered since \d\d:\d\d:\d\d\./).waitFor();
    await requireSound(watched);
    destination.respond = () => ({});
    await Promise.all(Array.from({ length: 8 }, () => send("DELIVERED")));
    await page.reload();
    await page.getByText("Failing destinations").waitFor();
    await page.getByText(/is failing\./).waitFor({ state: "detached" });
  });
});

function row(page: Page, path: string) {
  return page.locator("tbody tr", { hasText: path });
}
