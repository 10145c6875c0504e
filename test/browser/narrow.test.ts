/** Narrow and medium windows: a way back, all actions, and nothing that looks like something else. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { requireSound, WIDTHS } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";
import { ADMIN } from "../support/console-call.ts";
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

  test("the count of dead letters lies on its icon, medium", async (t) => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 500 });
    const dead = await service.publish(`${destination.url}/dead`, { "Svc-Retries": "0" });
    await service.logUntil(dead, "FAILED");
    const { page } = await journey.open(t, "/messages", { width: WIDTHS.medium });
    const link = page.getByRole("navigation", { name: "Main", exact: true });
    const badge = link.locator("a", { hasText: "Dead letters" }).locator(".n");
    await badge.waitFor();
    const [on, icon] = await Promise.all([
      badge.boundingBox(),
      link.locator("a", { hasText: "Dead letters" }).locator("svg").boundingBox(),
    ]);
    const corner = { x: icon!.x + icon!.width, y: icon!.y };
    const middle = { x: on!.x + on!.width / 2, y: on!.y + on!.height / 2 };
    assert.ok(Math.abs(middle.x - corner.x) < 4, `${middle.x - corner.x} px beside the corner`);
    assert.ok(Math.abs(middle.y - corner.y) < 8, `${middle.y - corner.y} px above the corner`);
  });

  test("titles are whole, and the tabs of the operator fill the row, narrow", async (t) => {
    const { page } = await journey.open(t, undefined, { width: WIDTHS.narrow });
    const { url } = journey.service;
    const [name, password] = ADMIN;
    await page.request.post(`${url}/v2/session`, {
      data: { name, password },
      headers: { Origin: url },
    });
    await page.goto(`${url}/accounts`);
    const title = page.getByRole("heading", { name: "Accounts", exact: true });
    await title.waitFor();
    const isCut = (): Promise<boolean> =>
      title.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
    assert.equal(await isCut(), false);
    const bar = (await page.locator(".tabbar").boundingBox())!;
    const last = (await page.locator(".tabbar > *").last().boundingBox())!;
    assert.ok(last.x + last.width > bar.x + bar.width - 4, "the last tab ends where the row does");
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
