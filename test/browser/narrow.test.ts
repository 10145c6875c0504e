/** Narrow and medium windows: a way back, all actions, and nothing that looks like something else. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { requireSound, WIDTHS } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";
import { until } from "../support/eventually.ts";

browserJourneys("narrow and medium windows", {}, (journey) => {
  let id = "";

  before(async () => {
    const { service, destination } = journey;
    const body = JSON.stringify({ name: "pay\u202Efdp.exe", long: "word ".repeat(60) });
    const headers = { "Content-Type": "application/json" };
    id = await service.publish(`${destination.url}/orders/1/confirm`, headers, body);
    await service.logUntil(id, "DELIVERED");
  });

  test("what has no room is in a menu, and there is a way back", async (t) => {
    for (const width of [WIDTHS.medium, WIDTHS.narrow]) {
      const watched = await journey.open(t, `/messages/${id}`, { width });
      const { page } = watched;
      await page.locator("summary[aria-label='More actions']").click();
      await requireSound(watched);
      await page.getByRole("button", { name: "Copy as curl" }).last().click();
      await page.getByText(/^The command copied\./).waitFor();
      const copied = (await page.evaluate("navigator.clipboard.readText()")) as string;
      assert.match(copied, /^curl -X POST .*\/v2\/publish\//);
      if (width === WIDTHS.medium) continue;
      await page.locator("summary[aria-label='More actions']").click();
      await page.getByRole("button", { name: "Edit and send" }).last().click();
      await page.locator("dialog").getByRole("button", { name: "Close" }).click();
      await page.getByRole("link", { name: "Back to Messages" }).click();
      await page.waitForURL("**/messages");
    }
  });

  test("long lines can be wrapped, and a turned text is shown as it is", async (t) => {
    const watched = await journey.open(t, `/messages/${id}`);
    const { page } = watched;
    const code = page.getByLabel("Body of the request", { exact: true });
    await code.getByText("⟨U+202E⟩").waitFor();
    const isTooWide = (): Promise<unknown> =>
      page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector('pre.code'))",
      );
    assert.equal(await isTooWide(), true);
    await page.getByRole("button", { name: "Wrap lines" }).click();
    await until(async () => (await isTooWide()) === false, "the long line is wrapped");
    await requireSound(watched);
  });

  test("a click anywhere in a row opens it, and the head of the list stays in sight", async (t) => {
    const { service, destination } = journey;
    const item = { destination: `${destination.url}/many`, headers: { "Svc-Delay": "1h" } };
    await service.batch(Array.from({ length: 60 }, () => item));
    const { page } = await journey.open(t, "/messages?waiting=delay");
    await page.locator("tbody tr").nth(40).waitFor();
    await page.evaluate("window.scrollTo(0, 900)");
    await page.waitForFunction("() => window.scrollY > 800");
    const head = (await page.locator("thead th").first().boundingBox())!;
    assert.ok(head.y >= 0 && head.y < 120, `the head is at ${head.y}`);
    await page.locator("tbody tr").nth(40).locator("td").nth(4).click();
    await page.waitForURL(/\/messages\/msg_/);
  });
});
