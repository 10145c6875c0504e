/** Each headline number is what the log says, and says its period. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../support/account-calls.ts";
import { visit } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";
import { eventually } from "../support/eventually.ts";
import type { TestService } from "../support/service-harness.ts";
import { ShownRuns } from "../support/shown-runs.ts";

browserJourneys("numbers in the dashboard", {}, (journey) => {
  test("those of the overview and of the tabs are counts of the log", async (t) => {
    const service = await journey.start(t);
    const { destination } = journey;
    destination.respond = ({ url }) => ({ status: url === "/bad" ? 500 : 200 });
    const publish = (path: string, headers = {}): Promise<string> =>
      service.publish(`${destination.url}${path}`, { "Svc-Retries": "0", ...headers });
    for (let each = 0; each < 7; each++) await service.logUntil(await publish("/ok"), "DELIVERED");
    for (let each = 0; each < 3; each++) await service.logUntil(await publish("/bad"), "FAILED");
    await publish("/later", { "Svc-Delay": "1h" });

    const logs = await logsOf(service);
    const count = (state: string): number => logs.filter((each) => each["state"] === state).length;
    const attempts = logs.flatMap((each) => (each["attemptDurationMs"] as number) ?? []);
    assert.equal(attempts.length, 10);
    await eventually(async () => {
      const { json } = await service.call("GET", "/v2/stats");
      const points = json["points"] as { attempts: number }[];
      return points.reduce((sum, point) => sum + point.attempts, 0) === 10 ? true : null;
    }, "the counts are written");

    const { page } = await journey.open(t, undefined, { service });
    const asked = new Set<string>();
    page.on("request", (request) => asked.add(new URL(request.url()).pathname));
    await visit(page, service.url, "/", service.token);
    const named = (name: string | RegExp) => page.getByRole("img", { name }).waitFor();
    await named("Attempts in the last hour: 10, of which 3 failed");
    // Half of the attempts took no longer, as far as buckets tell.
    const chart = page.getByRole("img", { name: /^Time to answer in the last hour: p50 \d+ ms/ });
    const [, p50 = "", p95 = ""] =
      /p50 (\d+) ms, p95 (\d+) ms/.exec((await chart.getAttribute("aria-label")) ?? "") ?? [];
    const took = attempts.toSorted((one, other) => one - other);
    assert.ok(Number(p50) <= 2 * took[5]! + 5, `${p50} of ${took.join()}`);
    assert.ok(Number(p95) >= took[4]!, `${p95} of ${took.join()}`);
    const card = page.locator("article", { hasText: "Attempts per minute" });
    const figure = Number(await card.locator(".figure b").innerText());
    assert.ok(Math.abs(figure - 10 / 60) < 0.1, String(figure));
    await card.getByText("10 in the last hour").waitFor();
    await page.getByText(/p95 of the last hour/).waitFor();
    await page.getByText(new RegExp(`^${count("CREATED")} in the last hour`)).waitFor();
    await page.getByRole("link", { name: `Dead letters ${count("FAILED")}` }).waitFor();
    // One answer has what the screen shows; the menu reads the account.
    const calls = [...asked].filter((path) => path.startsWith("/v2/"));
    assert.deepEqual(new Set(calls), new Set(["/v2/session", "/v2/account", "/v2/overview"]));

    await page.goto(`${service.url}/messages`);
    const tabs = page.getByRole("group", { name: "State" });
    for (const [name, number] of [
      ["Waiting", 1],
      ["Delivered", count("DELIVERED")],
      ["Failed", count("FAILED")],
      ["Canceled", 0],
    ] as const) {
      await tabs.getByRole("button", { name: `${name} ${number}` }).waitFor();
    }
    // The badge follows without being asked for again.
    await page.locator("tbody tr").first().waitFor();
    await service.logUntil(await publish("/bad"), "FAILED");
    await page.getByRole("link", { name: "Dead letters 4" }).waitFor();
  });

  test("what waits in a queue is told apart from what is being sent, also when it is paused", async (t) => {
    const { service, destination } = journey;
    const release = destination.hold();
    t.after(async () => release());
    await service.enqueue("orders", `${destination.url}/sent`);
    await destination.received("/sent");
    for (let each = 0; each < 4; each++) await service.enqueue("orders", `${destination.url}/w`);
    const { page } = await journey.open(t, "/flow");
    const row = page.locator("tbody tr", { hasText: "orders" });
    const numbers = async (): Promise<string> =>
      `${await row.locator("td.mtr").innerText()}, ${await row.locator("td.lb").innerText()}`;
    await eventually(
      async () => ((await numbers()) === "1 of 1, 4" ? true : null),
      "one of five is being sent",
    );
    await row.getByRole("button", { name: "Pause orders" }).click();
    await row.getByText("paused until you resume it").waitFor();
    await eventually(
      async () => ((await numbers()) === "1 of 1, 4" ? true : null),
      "a pause changes neither number",
    );
  });

  test("a resumed run has only its own work, and both runs lead to each other", async (t) => {
    const { service, destination } = journey;
    destination.respond = () => ({ body: '{"ok":true}' });
    const runs = await ShownRuns.start(service, destination);
    t.after(() => runs.close());
    const body = { order: "A-2", fails: true };
    const failed = await runs.trigger("/workflows/order", { body, retries: 0 });
    await runs.ended(failed, "RUN_FAILED");
    const { page } = await journey.open(t, `/runs/${failed}`);
    await page.getByRole("button", { name: /^Resume at/ }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(failed));
    await page.getByText("Resumed as a new run.").waitFor();
    await page.getByText("done by the run before").first().waitFor();
    const resumed = new URL(page.url()).pathname.split("/").at(-1)!;
    await runs.ended(resumed, "RUN_FAILED");
    const [run] = await service.list(`/v2/workflows/logs?workflowRunId=${resumed}`, "runs");
    const { workflowRunCompletedAt: end, workflowRunCreatedAt: start } = run as Item;
    await page.reload();
    const work = await page.getByText(/ of work$/).innerText();
    const [, amount = "", unit] = /([\d.]+) (ms|s) of work/.exec(work) ?? [];
    const workMs = Number(amount) * (unit === "s" ? 1_000 : 1);
    assert.ok(workMs <= (end as number) - (start as number) + 100, work);
    await page
      .getByRole("definition")
      .getByRole("link")
      .filter({ hasText: failed.slice(-5) })
      .click();
    await page.waitForURL(`**/runs/${failed}**`);
    await page.getByText("Continued by").waitFor();
  });

  test("a run that succeeded can be run again", async (t) => {
    const { service, destination } = journey;
    destination.respond = () => ({ body: '{"ok":true}' });
    const runs = await ShownRuns.start(service, destination);
    t.after(() => runs.close());
    const done = await runs.trigger("/workflows/order", { body: { order: "A-9" }, label: "again" });
    await runs.ended(done, "RUN_SUCCESS");
    const { page } = await journey.open(t, `/runs/${done}`);
    await page.getByRole("button", { name: /^Run again/ }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(done));
    const again = new URL(page.url()).pathname.split("/").at(-1)!;
    await runs.ended(again, "RUN_SUCCESS");
    const [run] = await service.list(
      `/v2/workflows/events?groupBy=workflowRunId&workflowRunId=${again}`,
      "runs",
    );
    const { labels, steps } = run as unknown as { labels: string[]; steps: Item[] };
    assert.deepEqual(labels, ["again"]);
    assert.match(JSON.stringify(steps[0]), /A-9/);
  });
});

async function logsOf(service: TestService): Promise<Item[]> {
  const { json } = await service.call("GET", "/v2/logs?count=1000");
  return json["logs"] as Item[];
}
