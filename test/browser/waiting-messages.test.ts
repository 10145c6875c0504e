/** Messages that wait, in the dashboard: sent now or canceled by their filter, and what holds their slots. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { requireSound } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";

browserJourneys("waiting messages in the dashboard", {}, (journey) => {
  test("all that a filter means are sent now, or canceled, after they were counted", async (t) => {
    const { service, destination } = journey;
    const later = (path: string, label: string): Promise<string> =>
      service.publish(`${destination.url}${path}`, { "Svc-Delay": "1h", "Svc-Label": label });
    await Promise.all([later("/a1", "a"), later("/a2", "a"), later("/b", "b")]);
    const watched = await journey.open(t, "/messages?state=CREATED&label=a");
    const { page } = watched;
    const dialog = page.locator("dialog");
    await page.getByRole("button", { name: "Send all now…" }).click();
    await dialog.getByText("Send 2 messages now?").waitFor();
    await requireSound(watched);
    await dialog.getByRole("button", { name: "Send 2 messages now" }).click();
    await page.getByText("2 messages are due now.").waitFor();
    await Promise.all([destination.received("/a1"), destination.received("/a2")]);

    await page.goto(`${service.url}/messages?state=CREATED`);
    await page.getByRole("button", { name: "Cancel all…" }).click();
    await dialog.getByText("Cancel 1 message?").waitFor();
    await dialog.getByText("There is no filter but the state").waitFor();
    await dialog.getByRole("button", { name: "Cancel 1 message" }).click();
    await page.getByText("1 message is canceled.").waitFor();
    const { json } = await service.call("GET", "/v2/messages");
    assert.deepEqual(json["messages"], []);
  });

  test("a message in a full queue names the one that holds its slot", async (t) => {
    const { service, destination } = journey;
    const release = destination.hold();
    t.after(async () => release());
    const holder = await service.enqueue("orders", `${destination.url}/first`);
    await destination.received("/first");
    const waiting = await service.enqueue("orders", `${destination.url}/second`);
    const watched = await journey.open(t, `/messages/${waiting}`);
    const { page } = watched;
    await page.getByText("Queue orders is full. Held by").waitFor();
    await requireSound(watched);
    await page.getByTitle(holder).click();
    await page.waitForURL(`**/messages/${holder}`);
    await page.goto(`${service.url}/flow`);
    await page.getByText(/its one slot is taken by/).waitFor();
    await page.getByTitle(holder).first().waitFor();
  });
});
