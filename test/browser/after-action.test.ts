/** What came of an action is said, and what is sent again is what was sent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../support/account-calls.ts";
import { requireSound } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";

browserJourneys("after an action in the dashboard", {}, (journey) => {
  test("a bulk retry tells what was delivered and what failed again, and leads to them", async (t) => {
    const service = await journey.start(t);
    const { destination } = journey;
    destination.respond = () => ({ status: 500 });
    const send = async (path: string): Promise<void> => {
      const id = await service.publish(`${destination.url}${path}`, { "Svc-Retries": "0" });
      await service.logUntil(id, "FAILED");
    };
    for (const path of ["/mended", "/mended", "/mended", "/broken", "/broken"]) await send(path);
    destination.respond = ({ url }) => ({ status: url === "/broken" ? 500 : 200 });
    const watched = await journey.open(t, "/dead", { service });
    const { page } = watched;
    await page.getByRole("checkbox", { name: /^Select all 5 messages/ }).check();
    await page.getByRole("button", { name: /^Retry 5 messages/ }).click();
    await page.locator("dialog").getByRole("button", { name: "Retry 5 messages" }).click();
    await page.getByText("Retried 5 messages.").waitFor();
    await page.getByText("3 delivered, 2 failed again.").waitFor();
    await requireSound(watched);
    await page.getByRole("link", { name: "See the failed ones" }).click();
    await page.waitForURL(/\/messages\?ids=/);
    await page.locator("tbody tr", { hasText: "/broken" }).first().waitFor();
    assert.equal(await page.locator("tbody tr").count(), 2);
    await page.getByText("2 messages").first().waitFor();
  });

  test("a binary body is sent again as it was, with all settings", async (t) => {
    const { service, destination } = journey;
    destination.respond = () => ({});
    const bytes = Buffer.from([0, 255, 128, 7, 200]);
    const { json } = await service.call("POST", `/v2/enqueue/blobs/${destination.url}/blob`, {
      headers: {
        "Content-Type": "application/octet-stream",
        "Svc-Retries": "2",
        "Svc-Timeout": "9s",
        "Svc-Flow-Control-Key": "k",
        "Svc-Flow-Control-Value": "parallelism=3",
      },
      body: bytes,
    });
    const id = json["messageId"] as string;
    await service.logUntil(id, "DELIVERED");
    const watched = await journey.open(t, `/messages/${id}`);
    const { page } = watched;
    await page.getByRole("button", { name: "Edit and send" }).click();
    await page.getByText("Body: binary, 5 bytes, sent again as it was.").waitFor();
    await requireSound(watched);
    await page.locator("dialog").getByRole("button", { name: "Send message" }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    const again = new URL(page.url()).pathname.split("/").at(-1)!;
    await service.logUntil(again, "DELIVERED");
    const copy = (await service.call("GET", `/v2/messages/${again}`)).json;
    assert.equal(copy["bodyBase64"], bytes.toString("base64"));
    const { queueName, maxRetries, timeout, flowControlKey, parallelism } = copy as Item;
    assert.deepEqual(
      [queueName, maxRetries, timeout, flowControlKey, parallelism],
      ["blobs", 2, 9, "k", 3],
    );
  });

  test("the headers as they were sent are those that the destination got", async (t) => {
    const { service, destination } = journey;
    destination.respond = () => ({});
    const id = await service.publish(`${destination.url}/headers`, { "Svc-Forward-X-Own": "1" });
    const [got] = await destination.received("/headers");
    const { page } = await journey.open(t, `/messages/${id}`);
    const request = page.locator("article", {
      has: page.getByRole("heading", { name: "Request" }),
    });
    await request.getByRole("tab", { name: /^Headers/ }).click();
    const shown = await request.locator("dl.kv dt").allInnerTexts();
    // Of the connection, and not of the message.
    const ofHttp = new Set(["host", "connection", "content-length", "accept-encoding"]);
    const sent = Object.keys(got.headers).filter((name) => !ofHttp.has(name));
    assert.deepEqual(new Set(shown), new Set(sent));
  });
});
