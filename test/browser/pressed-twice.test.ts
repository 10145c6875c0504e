/** What makes something makes it once, however often it is pressed while the server is slow, or pressed twice at once. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page, Route } from "playwright-core";
import { browserJourneys } from "../support/browser-journeys.ts";
import { until } from "../support/eventually.ts";
import { ShownRuns } from "../support/shown-runs.ts";

interface Press {
  readonly name: string;
  readonly path: () => string;
  /** The button, after what must come before it. */
  readonly button: (page: Page) => Promise<Locator> | Locator;
  readonly key?: string;
}

browserJourneys("pressed again and again", {}, (journey) => {
  let message = "";
  let run = "";
  let runs: ShownRuns;
  before(async () => {
    const { service, destination } = journey;
    message = await service.publish(`${destination.url}/once`, {}, '{"a":1}');
    await service.logUntil(message, "DELIVERED");
    const headers = { "Svc-Cron": "0 0 1 1 *", "Svc-Schedule-Id": "yearly" };
    await service.call("POST", `/v2/schedules/${destination.url}/tick`, { headers, body: "x" });
    runs = await ShownRuns.start(service, destination);
    run = await runs.trigger("/workflows/order", { body: { order: "A-1" } });
    await runs.ended(run, "RUN_SUCCESS");
  });
  after(() => runs?.close());

  const presses: readonly Press[] = [
    {
      name: "Run now",
      path: () => "/schedules/yearly",
      button: (page) => page.getByRole("button", { name: "Run now" }),
      key: "r",
    },
    {
      name: "Run now in a row",
      path: () => "/schedules",
      button: (page) => page.getByRole("button", { name: "Run yearly now" }),
    },
    {
      name: "Send again",
      path: () => `/messages/${message}`,
      button: (page) => page.getByRole("button", { name: /^Send again/ }),
      key: "r",
    },
    {
      name: "Edit and send",
      path: () => `/messages/${message}`,
      button: async (page) => {
        await page.getByRole("button", { name: "Edit and send" }).click();
        return page.locator("dialog").getByRole("button", { name: "Send message" });
      },
    },
    {
      name: "Run again",
      path: () => `/runs/${run}`,
      button: (page) => page.getByRole("button", { name: /^Run again/ }),
    },
    {
      name: "Create token",
      path: () => "/settings",
      button: async (page) => {
        await page.getByRole("button", { name: "New token" }).click();
        const dialog = page.locator("dialog");
        await dialog.getByLabel("Name").fill("twice");
        return dialog.getByRole("button", { name: "Make token" });
      },
    },
  ];

  for (const { name, path, button, key } of presses) {
    test(`${name} is done once`, async (t) => {
      const { page } = await journey.open(t, path());
      const pressed = await button(page);
      await pressed.waitFor();
      const held = await holdWrites(page);
      await pressed.dblclick();
      await pressed.click({ force: true });
      if (key !== undefined) for (let at = 0; at < 3; at++) await page.keyboard.press(key);
      await page.keyboard.press("Enter");
      await held.release();
      assert.equal(held.writes.length, 1, held.writes.join());
    });
  }

  test("a key that is held does not act on the page that its first press opened", async (t) => {
    const { page } = await journey.open(t, "/schedules/yearly");
    await page.getByRole("button", { name: "Run now" }).waitFor();
    const writes: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") writes.push(request.url());
    });
    await page.keyboard.down("r");
    await page.waitForURL(/\/messages\/msg_/);
    await page.getByText("1 of 6 attempts").waitFor();
    // What is down already is held.
    for (let at = 0; at < 5; at++) await page.keyboard.down("r");
    await page.keyboard.up("r");
    await page.evaluate("fetch('/healthz')");
    assert.equal(writes.length, 1, writes.join());
  });
});

/** Writes wait at the door of the server until they are let through. */
async function holdWrites(page: Page) {
  const writes: string[] = [];
  const routes: Route[] = [];
  await page.route(
    () => true,
    async (route) => {
      if (route.request().method() === "GET") return await route.continue();
      writes.push(`${route.request().method()} ${route.request().url()}`);
      routes.push(route);
      return undefined;
    },
  );
  const release = async (): Promise<void> => {
    // Some ask a question first.
    await until(() => Promise.resolve(writes.length > 0), "the first write");
    // Requests come to the door in turn: those that were made before this one are there.
    await page.evaluate("fetch('/healthz')");
    for (const route of routes) await route.continue();
  };
  return { writes, release };
}
