/** What one does with runs in the dashboard, on a real service with workflows of the public SDK. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { requireSound, WIDTHS } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";
import { CANARY, ShownRuns } from "../support/shown-runs.ts";

browserJourneys("runs in the dashboard", {}, (journey) => {
  let runs: ShownRuns;
  let failed = "";
  let waiting = "";
  let asleep = "";
  let marked = "";
  let done = "";
  before(async () => {
    let charges = 0;
    journey.destination.respond = ({ url }) => ({
      status: url === "/charge" && charges++ === 0 ? 429 : 200,
      body: '{"ok":true}',
    });
    runs = await ShownRuns.start(journey.service, journey.destination);
    done = await runs.trigger("/workflows/order", { body: { order: "A-1" }, label: "A-1" });
    await runs.ended(done, "RUN_SUCCESS");
    const payload = { body: { order: "A-2", fails: true }, label: "A-2", retries: 2 };
    failed = await runs.trigger("/workflows/order", payload);
    waiting = await runs.trigger("/waits", { label: "A-3" });
    asleep = await runs.trigger("/naps");
    marked = await runs.trigger("/markup", { body: CANARY, label: "marked" });
    await runs.until(
      failed,
      ({ failureFunction }) => failureFunction?.state === "CALLBACK_SUCCESS",
    );
    await runs.ended(marked, "RUN_FAILED");
    await runs.until(waiting, ({ steps }) => steps.length === 3);
    await runs.until(asleep, ({ steps }) => steps.length === 2);
  });
  after(() => runs?.close());

  const screens: Record<string, () => { path: string; shows: string }> = {
    "the list": () => ({ path: "/runs", shows: "book ledger: 500 after 3 attempts" }),
    "a list without a match": () => ({ path: "/runs?label=none", shows: "No run matches" }),
    "a failed run": () => ({ path: `/runs/${failed}`, shows: "7 of 8 steps" }),
    "a run that waits": () => ({ path: `/runs/${waiting}`, shows: "Waits for the event" }),
    "a run that is not there": () => ({ path: "/runs/wfr_none", shows: "This run is not here" }),
  };
  for (const [name, where] of Object.entries(screens)) {
    for (const [size, width] of Object.entries(WIDTHS)) {
      test(`${name}, ${size}`, async (t) => {
        const { path, shows } = where();
        const watched = await journey.open(t, path, { width });
        await watched.page.getByText(shows).first().waitFor();
        assert.equal(await watched.page.locator("h1").count(), 1);
        assert.equal(await watched.page.locator("main [style]").count(), 0);
        await requireSound(watched);
      });
    }
  }

  test("the list says where each run stands, and a new run comes by itself", async (t) => {
    const { page } = await journey.open(t, "/runs");
    await row(page, /packed-1, \d+ (h|days) left/).waitFor();
    await row(page, /wakes in \d+ (min|h)/).waitFor();
    await row(page, "8 steps").waitFor();
    const started = await runs.trigger("/naps", { label: "by-itself" });
    await page.locator(`tr[data-key^="${started}@"]`).waitFor();
    await journey.service.call("DELETE", `/v2/workflows/runs/${started}`);
    await page.locator(`tr[data-key^="${started}@"] .chip`, { hasText: "Canceled" }).waitFor();
  });

  test("the filter is the URL, and survives a reload", async (t) => {
    const { page } = await journey.open(t, "/runs");
    await page.getByRole("button", { name: "Failed" }).click();
    await page.waitForURL("**/runs?state=RUN_FAILED");
    await page.keyboard.press("/");
    await page.keyboard.type("label:A-2");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/runs?state=RUN_FAILED&label=A-2");
    await page.reload();
    await row(page, "book ledger").waitFor();
    assert.equal(await page.locator("tbody tr").count(), 1);
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByText("7 of 8 steps").waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL("**/runs");
  });

  test("the waterfall is a tree that arrow keys walk, each row in words", async (t) => {
    const { page } = await journey.open(t, `/runs/${failed}`);
    const grid = page.getByRole("treegrid");
    const chosen = grid.locator('[aria-selected="true"]');
    await chosen.waitFor();
    assert.match(
      (await chosen.getAttribute("aria-label"))!,
      /^book ledger, in parallel, failed after 3 attempts, /,
    );
    await chosen.focus();
    await page.keyboard.press("ArrowUp");
    assert.match((await chosen.getAttribute("aria-label"))!, /^send mail, in parallel, succeeded/);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    assert.match((await chosen.getAttribute("aria-label"))!, /^charge card, call, succeeded/);
    await page.getByRole("complementary", { name: "Step charge card" }).waitFor();
    const child = grid.getByRole("row", { name: /^ship order, run, succeeded/ });
    await child.click();
    assert.equal(await child.getAttribute("aria-expanded"), "true");
    assert.equal(await grid.getByText("2 steps in").count(), 1);
    await child.focus();
    await page.keyboard.press("ArrowLeft");
    assert.equal(await child.getAttribute("aria-expanded"), "false");
    assert.equal(await grid.getByText("2 steps in").count(), 0);
    await page.keyboard.press("ArrowRight");
    await grid.getByRole("link").click();
    await page.getByText("Called by", { exact: true }).waitFor();
    assert.equal(
      await page.locator("h1").textContent(),
      `${new URL(runs.endpoint.url).host}/workflows/ship`,
    );
  });

  test("a called run keeps the end of its id, narrow", async (t) => {
    const { page } = await journey.open(t, `/runs/${failed}`, { width: WIDTHS.narrow });
    await page.getByRole("row", { name: /^ship order, run, succeeded/ }).click();
    const link = page.getByRole("treegrid").getByRole("link");
    const right = await rightOf(link);
    assert.ok(right <= (await rightOf(link.locator("xpath=ancestor::*[@role='rowheader']"))));
  });

  test("a workflow keeps the last part of its path, medium", async (t) => {
    const { page } = await journey.open(t, "/runs", { width: WIDTHS.medium });
    const last = row(page, "book ledger").getByText("/order", { exact: true });
    await last.waitFor();
    assert.ok((await rightOf(last)) <= (await rightOf(last.locator("xpath=ancestor::td"))));
  });

  test("a retried call shows its attempts and what was answered", async (t) => {
    const { page } = await journey.open(t, `/runs/${done}`);
    const call = page.getByRole("row", { name: /^charge card, call, succeeded after 2 attempts/ });
    await call.click();
    const panel = page.getByRole("complementary");
    await panel.getByText("Attempt 2, after").waitFor();
    await panel.getByText("429", { exact: true }).waitFor();
    await panel.getByText('"ok"').waitFor();
  });

  test("a run that waits is notified, and goes on with the data", async (t) => {
    const { page } = await journey.open(t, `/runs/${waiting}`);
    await page.getByRole("button", { name: "Notify" }).click();
    await page.getByLabel("Data of the event, optional").fill('{"packed":true}');
    await page.locator("dialog").getByRole("button", { name: "Notify" }).click();
    await page.locator(".bar .chip", { hasText: "Succeeded" }).waitFor();
    await page.getByText("Returned").waitFor();
  });

  test("a run that sleeps is canceled", async (t) => {
    const { page } = await journey.open(t, `/runs/${asleep}`);
    await page.locator(".bar .chip", { hasText: "Sleeping" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.locator(".bar .chip", { hasText: "Canceled" }).waitFor();
  });

  test("a failed run is copied as a command, restarted, and resumed", async (t) => {
    const { page } = await journey.open(t, `/runs/${failed}`);
    await page.getByRole("button", { name: "Copy as curl" }).click();
    await page.getByText("The command copied.").waitFor();
    const command = (await page.evaluate("navigator.clipboard.readText()")) as string;
    assert.ok(command.includes(`/v2/trigger/${runs.endpoint.url}/workflows/order`), command);
    assert.ok(command.includes('{"order":"A-2","fails":true}'), command);
    const other = await runs.trigger("/workflows/order", { body: { fails: true } });
    await runs.ended(other, "RUN_FAILED");
    await page.getByRole("button", { name: /^Resume/ }).click();
    await page.getByText("Resumed as a new run.").waitFor();
    assert.ok(!page.url().includes(failed), page.url());
    await page.goto(`${journey.service.url}/runs/${other}`);
    await page.getByRole("button", { name: /^Restart/ }).click();
    await page.getByText("Restarted as a new run.").waitFor();
    assert.ok(!page.url().includes(other), page.url());
    await page.goto(`${journey.service.url}/runs/${other}`);
    const again = page.getByRole("button", { name: /^Resume/ });
    await again.and(page.locator('[aria-disabled="true"]')).waitFor();
  });

  test("names, errors and payloads of a workflow stay text", async (t) => {
    const watched = await journey.open(t, `/runs/${marked}`);
    const { page } = watched;
    await page.getByText(CANARY).first().waitFor();
    assert.equal(await page.locator("main img, main script").count(), 0);
    await requireSound(watched);
    await page.goto(`${journey.service.url}/runs?label=marked`);
    await row(page, CANARY).waitFor();
    assert.equal(await page.locator("main img, main script").count(), 0);
    assert.doesNotMatch(await page.title(), /taken/);
  });

  test("a long run folds what has finished", async (t) => {
    const long = await runs.trigger("/many");
    await runs.ended(long, "RUN_SUCCESS");
    const { page } = await journey.open(t, `/runs/${long}`);
    await page.getByText("240 steps").waitFor();
    const fold = page.getByRole("row", { name: "50 finished steps" }).first();
    await fold.waitFor();
    assert.ok((await page.getByRole("row").count()) < 40);
    await fold.click();
    await page.getByRole("row", { name: /^step 7, succeeded/ }).waitFor();
  });

  test("a read-only session sees everything and no action", async (t) => {
    const { page } = await journey.open(t, `/runs/${marked}`, {
      token: journey.service.credentials.readOnlyToken,
    });
    await page.getByText("You are signed in with a read-only token.").waitFor();
    await page.getByRole("treegrid").waitFor();
    for (const name of ["Resume", "Restart", "Cancel", "Notify"]) {
      assert.equal(await page.getByRole("button", { name }).count(), 0, name);
    }
    await page.goto(`${journey.service.url}/runs`);
    await row(page, "8 steps").first().waitFor();
    assert.equal(await page.getByRole("button", { name: "Start a run" }).count(), 0);
  });
});

async function rightOf(shown: Locator): Promise<number> {
  const { x, width } = (await shown.boundingBox())!;
  return x + width;
}

function row(page: Page, text: string | RegExp) {
  return page.locator("tbody tr", { hasText: text });
}
