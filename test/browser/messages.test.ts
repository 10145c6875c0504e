/** What one does with messages in the dashboard, on a real service. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import type { Item } from "../support/account-calls.ts";
import { requireSound, visit } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";
import { eventually } from "../support/eventually.ts";

/** The dashboard asks for 300 entries of the log at a time. */
const MORE_THAN_A_PAGE = 310;

browserJourneys("messages in the dashboard", {}, (journey) => {
  before(async () => {
    journey.destination.respond = ({ url }) => ({ status: url.startsWith("/fails") ? 503 : 200 });
    const first = await journey.service.publish(`${journey.destination.url}/first`, {
      "Svc-Label": "one",
    });
    await journey.service.logUntil(first, "DELIVERED");
  });
  test("a new message comes into the list by itself", async (t) => {
    const { page } = await journey.open(t, "/messages");
    await row(page, "/first").waitFor();
    await journey.service.publish(`${journey.destination.url}/news`);
    await row(page, "/news").waitFor();
  });

  test("without the stream, the list asks for new messages", async (t) => {
    const { page } = await journey.open(t);
    await page.route("**/v2/stream", (route) => route.fulfill({ status: 404, body: "" }));
    await visit(page, journey.service.url, "/messages", journey.service.token);
    await row(page, "/first").waitFor();
    await journey.service.publish(`${journey.destination.url}/asked-for`);
    await row(page, "/asked-for").waitFor();
  });

  test("with a row under the cursor, new messages wait to be shown", async (t) => {
    const { page } = await journey.open(t, "/messages");
    await row(page, "/first").waitFor();
    await page.keyboard.press("j");
    await page.locator("tr.cursor").waitFor();
    await journey.service.publish(`${journey.destination.url}/held-back`);
    const pill = page.getByRole("button", { name: "1 new message" });
    await pill.waitFor();
    assert.equal(await row(page, "/held-back").count(), 0);
    await page.keyboard.press(".");
    await row(page, "/held-back").waitFor();
  });

  test("the filter is the URL, and survives a reload", async (t) => {
    const { page } = await journey.open(t, "/messages");
    await row(page, "/first").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("label:one");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\?label=one$/);
    await page.reload();
    await row(page, "/first").waitFor();
    assert.equal(await page.locator("tbody tr").count(), 1);
    await page.getByRole("button", { name: "Remove filter label" }).click();
    await page.waitForURL(/\/messages$/);
  });

  test("a failed message is found behind many that are retried", async (t) => {
    const service = await journey.start(t);
    const url = `${journey.destination.url}/fails`;
    const dead = await service.publish(`${url}-at-once`, { "Svc-Retries": "0" });
    await service.logUntil(dead, "FAILED");
    const retried = { destination: url, headers: { "Svc-Retry-Delay": "3600000" } };
    const body = JSON.stringify(Array.from({ length: MORE_THAN_A_PAGE }, () => retried));
    assert.equal((await service.call("POST", "/v2/batch", { body })).status, 200);
    await eventually(async () => {
      const { json } = await service.call("GET", "/v2/logs?state=ERROR&count=1000");
      return (json["logs"] as Item[]).length > MORE_THAN_A_PAGE ? true : null;
    }, "all of them have failed once");
    const { page } = await journey.open(t, "/messages?state=FAILED", { service });
    await row(page, "/fails-at-once").getByText("1/1").waitFor();
    assert.equal(await page.locator("tbody tr").count(), 1);
  });

  test("j, Enter and Escape go in and back", async (t) => {
    const { page } = await journey.open(t, "/messages?label=one");
    await row(page, "/first").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByText("1 of 6 attempts").waitFor();
    assert.match(page.url(), /\/messages\/msg_/);
    await page.keyboard.press("Escape");
    await page.waitForURL(/\/messages$/);
  });

  test("a message is sent from the form, and its page opens", async (t) => {
    const watched = await journey.open(t, "/messages");
    const { page } = watched;
    await page.getByRole("button", { name: "Send message" }).click();
    await page.getByLabel("To").fill("no url");
    await page.locator("dialog").getByRole("button", { name: "Send message" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("To").fill(`${journey.destination.url}/from-the-form`);
    await page.locator("dialog").getByRole("button", { name: "Send message" }).click();
    await page.getByText("1 of 6 attempts").waitFor();
    const [request] = await journey.destination.received("/from-the-form");
    assert.deepEqual(JSON.parse(request.body.toString()), { hello: "world" });
  });

  test("a message that waits for its retry is retried now, and canceled", async (t) => {
    const { page } = await journey.open(t, "/messages");
    const id = await journey.service.publish(`${journey.destination.url}/fails/soon`, {
      "Svc-Retry-Delay": "3600000",
    });
    await journey.service.logUntil(id, "RETRY");
    await page.goto(`${journey.service.url}/messages/${id}`);
    await page.getByText("Retry in", { exact: false }).first().waitFor();
    await page.getByRole("button", { name: "Retry now" }).click();
    await journey.destination.received("/fails/soon", 2);
    await page.getByText("2 of 6 attempts").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.locator(".bar .chip", { hasText: "Canceled" }).waitFor();
  });

  test("what a destination answers stays text", async (t) => {
    const { page } = await journey.open(t, "/messages");
    journey.destination.respond = () => ({ body: "<img src=x onerror=document.title='taken'>" });
    const id = await journey.service.publish(
      `${journey.destination.url}/markup`,
      {},
      "<script>1</script>",
    );
    await journey.service.logUntil(id, "DELIVERED");
    await page.goto(`${journey.service.url}/messages/${id}`);
    await page.getByText("<img src=x").waitFor();
    assert.equal(await page.locator("main img, main script").count(), 0);
  });

  test("the next page comes before the end of this one is reached", async (t) => {
    const { page } = await journey.open(t);
    const asked: string[] = [];
    await page.route("**/v2/logs?*", (route) => {
      const cursor = new URL(route.request().url()).searchParams.get("cursor");
      if (cursor !== null) asked.push(cursor);
      const from = cursor === null ? 0 : Number(cursor);
      return route.fulfill({ json: { logs: manyEntries(100, from), cursor: `${from + 100}` } });
    });
    await visit(page, journey.service.url, "/messages?time=1h", journey.service.token);
    await page.getByText("100 messages").waitFor();
    await page.evaluate("window.scrollTo(0, 200)");
    assert.deepEqual(asked, []);
    await page.evaluate(
      "window.scrollTo(0, 0.75 * document.documentElement.scrollHeight - innerHeight)",
    );
    await page.getByText("200 messages").waitFor();
    assert.deepEqual(asked, ["100"]);
    await page.getByRole("button", { name: "Load older" }).waitFor();
  });

  test("10,000 rows are not in the document at once", async (t) => {
    const watched = await journey.open(t, "/messages");
    const { page } = watched;
    await page.route("**/v2/logs?*", (route) =>
      route.fulfill({ json: { logs: manyEntries(10_000) } }),
    );
    await page.goto(`${journey.service.url}/messages?time=1h`);
    await page.getByText("10,000 messages").waitFor();
    assert.ok((await page.locator("tbody tr").count()) < 200);
    await page.evaluate("window.scrollTo(0, 190000)");
    await page.locator('tr[data-key="msg_5000"]').waitFor();
    await requireSound(watched);
  });
});

function row(page: Page, path: string) {
  return page.locator("tbody tr", { hasText: path });
}

function manyEntries(count: number, from = 0) {
  return Array.from({ length: count }, (_, at) => from + at).map((index) => ({
    time: 1_700_000_000_000 - index,
    state: "DELIVERED",
    messageId: `msg_${index}`,
    url: "https://example.com/x",
    method: "POST",
    maxRetries: 3,
    attempt: 1,
    attemptDurationMs: 5,
  }));
}
