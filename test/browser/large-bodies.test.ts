/** Bodies of many megabytes are read in the dashboard like small ones. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { requireSound } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";

const MEMBER = { id: 0, name: "a parcel", tags: ["heavy", "blue"], place: { x: 1.5, y: null } };
const MEMBERS_IN_A_MEGABYTE = Math.floor(1_000_000 / JSON.stringify(MEMBER).length);

browserJourneys("large bodies in the dashboard", {}, (journey) => {
  async function publish(body: string): Promise<string> {
    const headers = { "Content-Type": "application/json", "Svc-Delay": "1h" };
    return journey.service.publish(`${journey.destination.url}/large`, headers, body);
  }

  test("JSON of one and of ten megabytes costs the page no more parts than 100 kB", async (t) => {
    const counts: number[] = [];
    for (const members of [0.1, 1, 9.5].map((size) => Math.floor(size * MEMBERS_IN_A_MEGABYTE))) {
      const id = await publish(bodyOf(members));
      const watched = await journey.open(t, `/messages/${id}`);
      const { page } = watched;
      const code = page.getByLabel("Body of the request", { exact: true });
      await code.getByText('"id": 0,').waitFor();
      const atStart = await parts(page);
      await code.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await code.getByText(`"id": ${members - 1},`).waitFor();
      assert.equal(await code.getByText('"id": 0,').count(), 0);
      counts.push(Math.max(atStart, await parts(page)));
      await requireSound(watched);
      // The page still answers to keys.
      await page.keyboard.press("?");
      await page.getByRole("heading", { name: "Keys" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("tab", { name: "Raw" }).click();
      await page.getByLabel("Request, raw", { exact: true }).getByText('{"id":0,').waitFor();
      await page.context().close();
    }
    const [small, ...large] = counts;
    for (const count of large) assert.ok(count <= small! * 1.2, `${counts.join(", ")} parts`);
  });

  test("one string of megabytes is folded, and what has too many members is shown as sent", async (t) => {
    const text = await publish(JSON.stringify({ text: "0123456789".repeat(400_000) }));
    const first = await journey.open(t, `/messages/${text}`);
    await first.page
      .getByLabel("Body of the request", { exact: true })
      .getByText('"text":')
      .waitFor();
    assert.ok((await parts(first.page)) < 1_000);
    const many = await publish(`[${"1,".repeat(1_900_000)}1]`);
    const second = await journey.open(t, `/messages/${many}`);
    await second.page.getByText("Too many members to lay out, shown as it was sent").waitFor();
    assert.ok((await parts(second.page)) < 1_000);
    await requireSound(second);
  });

  test("an answer of which the log keeps the beginning is text, and says that it is cut", async (t) => {
    for (const [body, shows] of [
      [JSON.stringify({ text: "a".repeat(20_000) }), '{"text":"aaa'],
      // A character of three bytes is cut in two.
      [JSON.stringify({ text: "荷物".repeat(5_000) }), '{"text":"荷物'],
      [JSON.stringify({ text: `.${"荷物".repeat(5_000)}` }), '{"text":".荷物'],
      [JSON.stringify({ text: `..${"荷物".repeat(5_000)}` }), '{"text":"..荷物'],
    ] as const) {
      journey.destination.respond = () => ({
        body,
        headers: { "Content-Type": "application/json" },
      });
      const id = await journey.service.publish(`${journey.destination.url}/cut`);
      await journey.service.logUntil(id, "DELIVERED");
      const { page } = await journey.open(t, `/messages/${id}`);
      await page
        .getByLabel("Body of the response", { exact: true })
        .getByText(shows)
        .first()
        .waitFor();
      await page.getByText("Only its beginning is kept, shown as text").waitFor();
      assert.equal(await page.getByText("Not JSON").count(), 0);
    }
  });
});

function parts(page: Page): Promise<number> {
  return page.locator("pre.code *").count();
}

function bodyOf(members: number): string {
  return JSON.stringify(Array.from({ length: members }, (_, id) => ({ ...MEMBER, id })));
}
