/** One field that finds: by a part of what is known, by fields, or by id. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { requireSound } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";
import { until } from "../support/eventually.ts";

browserJourneys("search in the dashboard", {}, (journey) => {
  let delivered = "";

  before(async () => {
    const { service, destination } = journey;
    destination.respond = ({ url }) => ({ status: url.startsWith("/teapot") ? 418 : 200 });
    delivered = await service.publish(`${destination.url}/orders/1/confirm`, {
      "Svc-Label": "Shop-EU",
    });
    const failed = await service.publish(`${destination.url}/teapot`, { "Svc-Retries": "0" });
    const refused = await service.publish("http://127.0.0.1:1/gone", { "Svc-Retries": "0" });
    await service.publish(`${destination.url}/orders/2/remind`, { "Svc-Delay": "1h" });
    await service.logUntil(delivered, "DELIVERED");
    for (const id of [failed, refused]) await service.logUntil(id, "FAILED");
  });

  test("bare text is found in URL, error and label; fields narrow it down", async (t) => {
    const watched = await journey.open(t, "/messages");
    const { page } = watched;
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ["CONFIRM", ["confirm"]],
      ["shop-e", ["confirm"]],
      ["connection REFUSED", ["gone"]],
      ["status:418", ["teapot"]],
      ["error:refused", ["gone"]],
      [`url:${journey.destination.url}/orders/`, ["confirm", "remind"]],
      ["host:127.0.0.1:1", ["gone"]],
      ["waiting:delay", ["remind"]],
    ];
    for (const [text, shown] of cases) {
      await search(page, text);
      await until(
        async () => (await page.locator("tbody tr[data-key]").count()) === shown.length,
        `${text} finds ${shown.length}`,
      );
      for (const path of shown) await page.locator("tbody tr", { hasText: path }).waitFor();
      await page.getByRole("button", { name: /^Remove filter/ }).click();
    }
    await search(page, "since:1h");
    await page.waitForURL(/\?time=1h$/);
    await page.getByText("last hour").waitFor();
    await requireSound(watched);
    await search(page, "nothing of the kind");
    await page.getByText("No message matches these filters").waitFor();
  });

  test("an id opens the message", async (t) => {
    const { page } = await journey.open(t, "/messages");
    await search(page, delivered);
    await page.waitForURL(`**/messages/${delivered}`);
  });

  test("bare text is what each list takes it for, and Backspace takes back the last filter", async (t) => {
    const { page } = await journey.open(t, "/messages");
    const cases: readonly (readonly [string, string, RegExp])[] = [
      ["/messages", "https://a.test/x", /\/messages\?url=https/],
      ["/messages", "wfr_none", /\/runs\/wfr_none$/],
      ["/runs", "wfr_none", /\/runs\/wfr_none$/],
      ["/runs", "https://a.test/x", /\/runs\?workflow=https/],
      ["/runs", "paid twice", /\/runs\?q=paid\+twice$/],
      ["/dead", "503", /\/dead\?status=503$/],
      ["/dead", "http://a.test/x", /\/dead\?url=http/],
      ["/dead", "50 cents", /\/dead\?q=50\+cents$/],
    ];
    for (const [path, text, found] of cases) {
      await page.goto(`${journey.service.url}${path}`);
      await search(page, text);
      await page.waitForURL(found);
    }
    await page.goto(`${journey.service.url}/messages?label=a&time=1h`);
    await page.getByRole("combobox").press("Backspace");
    await page.waitForURL(/\/messages\?label=a$/);
  });

  test("the menu has the fields, and the most frequent values of one", async (t) => {
    const watched = await journey.open(t, "/messages");
    const { page } = watched;
    await page.locator("tbody tr", { hasText: "teapot" }).waitFor();
    await page.keyboard.press("/");
    const menu = page.getByRole("listbox", { name: "Filters" });
    await menu.getByRole("option", { name: "label:" }).click();
    await menu.getByRole("option", { name: "label:Shop-EU 1" }).waitFor();
    await requireSound(watched);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\?label=Shop-EU$/);
  });

  test("tabs have counts, of now and of a day", async (t) => {
    const { page } = await journey.open(t, "/messages");
    const tabs = page.getByRole("group", { name: "State" });
    await tabs.getByRole("button", { name: "Waiting 1" }).waitFor();
    await tabs.getByRole("button", { name: "Delivered 1" }).waitFor();
    const failed = tabs.getByRole("button", { name: "Failed 2" });
    await failed.waitFor();
    assert.equal(await failed.getAttribute("title"), "In the last 24 hours");
  });

  test("a search that has not seen the whole log says how far it has looked, and goes on", async (t) => {
    const { page } = await journey.open(t);
    await page.route("**/v2/logs?**search=rare**", (route) => {
      const isFirst = !route.request().url().includes("cursor=");
      const json = isFirst ? { logs: [], cursor: "next", searched: 20_000 } : { logs: [] };
      return route.fulfill({ json });
    });
    await page.route("**/v2/logs?**cursor=next**", async (route) => {
      await route.fulfill({ json: { logs: [], cursor: "next", searched: 20_000 } });
    });
    await page.goto(`${journey.service.url}/messages?q=rare`);
    await page.getByText(/^Searched 100,000 of about [\d,]+ log entries\.$/).waitFor();
    await page.getByRole("button", { name: "Search older ones" }).click();
    await page.getByText(/^Searched 200,000 of about/).waitFor();
  });
});

async function search(page: Page, text: string): Promise<void> {
  await page.getByRole("combobox").fill(text);
  await page.keyboard.press("Enter");
}
