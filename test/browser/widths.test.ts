/** Windows of every width, also beside those for which the screens were drawn: nothing is cut, and the first column and the title can be read. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Locator } from "playwright-core";
import { browserJourneys } from "../support/browser-journeys.ts";

/** On both sides of each width at which the layout changes, and of common screens. */
const SWEPT = [
  1440, 1280, 1241, 1240, 1181, 1180, 1024, 981, 980, 900, 834, 800, 768, 761, 760, 600,
];

browserJourneys("windows of every width", {}, (journey) => {
  let messageId = "";
  let runId = "";

  before(async () => {
    const { service, destination } = journey;
    destination.respond = ({ url }) => ({ status: url.startsWith("/fails") ? 503 : 200 });
    const key = "tenant-of-a-customer-with-a-long-name";
    await service.publish(`${destination.url}/keyed`, {
      "Svc-Flow-Control-Key": key,
      "Svc-Flow-Control-Value": "rate=1, period=1h",
    });
    await service.call("POST", "/v2/queues/mails-of-the-shop/pause");
    await service.call("POST", `/v2/enqueue/mails-of-the-shop/${destination.url}/queued`);
    await service.call("POST", `/v2/schedules/${destination.url}/report`, {
      headers: { "Svc-Cron": "CRON_TZ=Europe/Berlin 0 9 * * 1-5" },
    });
    messageId = await service.publish(`${destination.url}/fails/at/first`, {
      "Svc-Retry-Delay": "3600000",
      "Svc-Label": "shipping",
    });
    await service.logUntil(messageId, "RETRY");
    const { json } = await service.call("POST", `/v2/trigger/${destination.url}/orders`, {
      headers: { "Svc-Delay": "1h" },
    });
    runId = String(json["workflowRunId"]);
  });

  const screens: Record<string, () => { path: string; shows: string }> = {
    overview: () => ({ path: "/", shows: "Busiest destinations" }),
    messages: () => ({ path: "/messages", shows: "/queued" }),
    message: () => ({ path: `/messages/${messageId}`, shows: "1 of 6 attempts" }),
    runs: () => ({ path: "/runs", shows: "/orders" }),
    run: () => ({ path: `/runs/${runId}`, shows: "Steps" }),
    schedules: () => ({ path: "/schedules", shows: "At 09:00 on weekdays" }),
    "queues and keys": () => ({ path: "/flow", shows: "mails-of-the-shop" }),
  };

  for (const [name, where] of Object.entries(screens)) {
    test(`${name} in windows of every width`, async (t) => {
      const { path, shows } = where();
      const { page } = await journey.open(t, path);
      await page.getByText(shows).first().waitFor();
      await page.waitForFunction(ALL_FILLED);
      for (const width of SWEPT) {
        await page.setViewportSize({ width, height: 900 });
        assert.deepEqual(await page.evaluate(TOO_NARROW), [], `${width} pixels`);
      }
    });
  }

  test("the host of a long URL can be read, and the end of a long path", async (t) => {
    const { service, destination } = journey;
    const { host } = new URL(destination.url);
    for (const [path, end] of [
      [`/${"part/".repeat(40)}last`, "/last"],
      [`/first/${"long-name-".repeat(40)}`, null],
      [`/?query=${"long-value-".repeat(40)}`, null],
    ] as const) {
      const id = await service.publish(`${destination.url}${path}`, { "Svc-Delay": "1h" });
      const { page } = await journey.open(t, `/messages/${id}`);
      const title = page.locator("h1 .keep-end");
      await title.getByText(host).waitFor();
      assert.ok(await isWhole(title.locator(".h")), `${path}: the host is cut`);
      if (end === null) continue;
      assert.equal(await title.locator(".end").textContent(), end);
      assert.ok(await isWhole(title.locator(".end")), `${path}: the end is cut`);
    }
  });
});

function isWhole(part: Locator): Promise<boolean> {
  return part.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth);
}

/** No table shows the empty rows that hold the place of what is still read. */
const ALL_FILLED = `[...document.querySelectorAll("table.lines tbody td.full")].every(
  ({ textContent }) => textContent !== "",
)`;

/** What is wider than the window, and which titles and first columns are narrower than a short name. */
const TOO_NARROW = `(() => {
  const wrong = [];
  const over = document.documentElement.scrollWidth - window.innerWidth;
  if (over > 0) wrong.push("the page is " + over + " pixels too wide");
  const title = document.querySelector("h1");
  const need = Math.min(title.scrollWidth, 100);
  if (title.clientWidth < need) wrong.push("the title has " + title.clientWidth + " pixels");
  for (const cell of document.querySelectorAll("table.lines tbody td.full")) {
    const { width } = cell.getBoundingClientRect();
    if (width < 100) wrong.push(cell.textContent + " has " + Math.round(width) + " pixels");
  }
  for (const part of document.querySelectorAll("main .legend span, main .btn, main .chip")) {
    const { left, right, width } = part.getBoundingClientRect();
    const card = part.closest("article")?.getBoundingClientRect() ?? { left: 0, right: innerWidth };
    if (width > 0 && (left < card.left || right > card.right)) wrong.push(part.outerHTML + " is cut");
  }
  return wrong;
})()`;
