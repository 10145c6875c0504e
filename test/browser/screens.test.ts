/** Every screen that is there, in three widths and both themes: sound in a real browser. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import {
  browserMissing,
  launchBrowser,
  openPage,
  requireSound,
  visit,
  WIDTHS,
} from "../support/browser.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { TestService } from "../support/service-harness.ts";

describe("screens of the dashboard", { skip: browserMissing }, () => {
  let service: TestService;
  let destination: DestinationServer;
  let browser: Browser;
  let messageId = "";

  before(async () => {
    browser = await launchBrowser();
    service = await TestService.start();
    destination = await DestinationServer.start(({ url }) => ({
      status: url.startsWith("/fails") ? 503 : 200,
      body: '{"done":true}',
    }));
    await service.publish(
      `${destination.url}/orders/1/confirm`,
      { "Svc-Label": "billing" },
      '{"a":1}',
    );
    await service.publish(`${destination.url}/${"a-very-long-part/".repeat(12)}end`);
    await service.publish(`${destination.url}/later`, { "Svc-Delay": "10m" });
    const dead = await service.publish(`${destination.url}/fails`, { "Svc-Retries": "0" });
    await service.logUntil(dead, "FAILED");
    messageId = await service.publish(
      `${destination.url}/fails`,
      { "Svc-Label": "shipping,eu", "Svc-Retry-Delay": "3600000" },
      '{"b":[1,true,"x"]}',
    );
    await service.logUntil(messageId, "RETRY");
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    await destination?.close();
  });

  const paths: Record<string, () => { path: string; shows: RegExp }> = {
    overview: () => ({ path: "/", shows: /Failing destinations/ }),
    "overview of a week": () => ({ path: "/?range=7d", shows: /Attempts per hour/ }),
    messages: () => ({ path: "/messages", shows: /orders\/1\/confirm/ }),
    "messages, filtered": () => ({ path: "/messages?state=RETRY", shows: /Retry in/ }),
    "messages without a match": () => ({
      path: "/messages?label=nothing&time=1h",
      shows: /No message matches/,
    }),
    "a message": () => ({ path: `/messages/${messageId}`, shows: /1 of 6 attempts/ }),
    "a message that is not there": () => ({
      path: "/messages/msg_none",
      shows: /This message is not here/,
    }),
    "a path without a screen": () => ({ path: "/settings/none", shows: /There is no such page/ }),
  };

  for (const [name, where] of Object.entries(paths)) {
    for (const [size, width] of Object.entries(WIDTHS)) {
      const theme = size === "medium" ? "dark" : "light";
      test(`${name}, ${size}`, async (t) => {
        const watched = await openPage(browser, service.url, { width, theme });
        t.after(() => watched.page.context().close());
        const { path, shows } = where();
        await visit(watched.page, service.url, path, service.token);
        await watched.page.getByText(shows).first().waitFor();
        assert.equal(await watched.page.locator("h1").count(), 1);
        await requireSound(watched);
      });
    }
  }

  test("a message in the dark, narrow", async (t) => {
    const watched = await openPage(browser, service.url, { width: WIDTHS.narrow, theme: "dark" });
    t.after(() => watched.page.context().close());
    await visit(watched.page, service.url, `/messages/${messageId}`, service.token);
    await watched.page.getByText("1 of 6 attempts").waitFor();
    await requireSound(watched);
  });
});
