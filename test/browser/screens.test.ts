/** Every screen that is there, in three widths and both themes: sound in a real browser. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { requireSound, WIDTHS } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";

browserJourneys("screens of the dashboard", {}, (journey) => {
  let messageId = "";

  before(async () => {
    journey.destination.respond = ({ url }) => ({
      status: url.startsWith("/fails") ? 503 : 200,
      body: '{"done":true}',
    });
    await journey.service.publish(
      `${journey.destination.url}/orders/1/confirm`,
      { "Svc-Label": "billing" },
      '{"a":1}',
    );
    await journey.service.publish(
      `${journey.destination.url}/${"a-very-long-part/".repeat(12)}end`,
    );
    await journey.service.publish(`${journey.destination.url}/later`, { "Svc-Delay": "10m" });
    const dead = await journey.service.publish(`${journey.destination.url}/fails`, {
      "Svc-Retries": "0",
    });
    await journey.service.logUntil(dead, "FAILED");
    messageId = await journey.service.publish(
      `${journey.destination.url}/fails`,
      { "Svc-Label": "shipping,eu", "Svc-Retry-Delay": "3600000" },
      '{"b":[1,true,"x"]}',
    );
    await journey.service.logUntil(messageId, "RETRY");
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
      test(`${name}, ${size}`, async (t) => {
        const { path, shows } = where();
        const watched = await journey.open(t, path, { width });
        await watched.page.getByText(shows).first().waitFor();
        assert.equal(await watched.page.locator("h1").count(), 1);
        await requireSound(watched);
      });
    }
  }

  test("every state of the filter is in sight, narrow", async (t) => {
    const { page } = await journey.open(t, "/messages", { width: WIDTHS.narrow });
    const states = page.getByRole("group", { name: "State" }).getByRole("button");
    await states.first().waitFor();
    const buttons = await states.all();
    assert.ok(buttons.length > 1);
    for (const button of buttons) {
      const box = (await button.boundingBox())!;
      assert.ok(box.x >= 0 && box.x + box.width <= WIDTHS.narrow, await button.innerText());
    }
  });

  test("a message in the dark, narrow", async (t) => {
    const how = { width: WIDTHS.narrow, theme: "dark" } as const;
    const watched = await journey.open(t, `/messages/${messageId}`, how);
    await watched.page.getByText("1 of 6 attempts").waitFor();
    await requireSound(watched);
  });
});
