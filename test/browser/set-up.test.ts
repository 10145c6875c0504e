/** What one does with schedules, queues, keys and URL groups in the dashboard, on a real service. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { requireSound } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";
import type { Item } from "../support/account-calls.ts";
import { eventually } from "../support/eventually.ts";

browserJourneys("setting up in the dashboard", {}, (journey) => {
  async function shown(path: string): Promise<Item> {
    return (await journey.service.call("GET", path)).json;
  }

  test("a schedule shows its last ticks, each with its outcome and its message", async (t) => {
    const { destination } = journey;
    const service = await journey.start(t);
    // Half an hour away, so that no tick comes by itself however slow the machine is.
    const minute = (new Date().getUTCMinutes() + 30) % 60;
    const headers = {
      "Svc-Cron": `${minute} * * * *`,
      "Svc-Schedule-Id": "hourly",
      "Svc-Retries": "0",
    };
    await service.call("POST", `/v2/schedules/${destination.url}/tick`, { headers, body: "x" });
    for (const status of [200, 500, 200]) {
      destination.respond = () => ({ status });
      await service.post("/dev/clock", { advance: "1h" });
    }
    const watched = await journey.open(t, "/schedules", { service });
    const { page } = watched;
    await page.getByRole("img", { name: "Last 3 ticks: 2 delivered, 1 failed" }).waitFor();
    await requireSound(watched);
    await page.getByRole("link", { name: "hourly" }).click();
    const table = page.getByRole("table", { name: "Last ticks" });
    await table.getByText("Failed", { exact: true }).waitFor();
    assert.equal(await table.locator("tbody tr").count(), 3);
    await requireSound(watched);
    await table.locator("tbody tr", { hasText: "Failed" }).getByRole("link").click();
    await page.waitForURL(/\/messages\/msg_/);
    await page.getByText("Failed").first().waitFor();
  });

  test("a schedule is created, changed, paused, run and deleted", async (t) => {
    const watched = await journey.open(t, "/schedules");
    const { page } = watched;
    await page.getByText("No schedule yet").waitFor();
    await page.keyboard.press("c");
    const dialog = page.locator("dialog");
    await dialog.getByText("At 09:00 on weekdays, UTC.").waitFor();
    await dialog.getByLabel("minute").fill("99");
    await dialog
      .getByText(/minute/)
      .first()
      .waitFor();
    await dialog.locator(".notice:not(.infobg)").waitFor();
    await dialog.getByLabel("minute").fill("30");
    await dialog.getByLabel("Time zone").selectOption("Europe/Berlin");
    await dialog.getByText("At 09:30 on weekdays, in Berlin.").waitFor();
    await dialog.getByLabel("Id", { exact: true }).fill("standup");
    await dialog.getByLabel("Destination").fill(`${journey.destination.url}/standup`);
    await dialog.getByLabel("Body").fill('{"channel":"standup"}');
    await dialog.getByRole("button", { name: "Create schedule" }).click();
    await page.waitForURL("**/schedules/standup");
    await page.getByText("At 09:30 on weekdays").waitFor();
    const made = await shown("/v2/schedules/standup");
    assert.equal(made["cron"], "CRON_TZ=Europe/Berlin 30 9 * * MON-FRI");
    assert.equal(made["body"], '{"channel":"standup"}');

    await page.keyboard.press("e");
    await dialog
      .getByLabel("Headers, one a line")
      .fill("Content-Type: application/json\nSvc-Retries: 1\nSvc-Forward-X-Team: a");
    await dialog.getByRole("button", { name: "Save schedule" }).click();
    await page.getByText("Schedule standup is saved.").waitFor();
    const saved = await shown("/v2/schedules/standup");
    assert.equal(saved["retries"], 1);
    assert.equal(saved["cron"], made["cron"]);
    assert.equal(saved["body"], made["body"]);

    await page.getByRole("button", { name: "Pause" }).click();
    await page.locator(".bar .chip", { hasText: "Paused" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator(".bar .chip").waitFor({ state: "detached" });
    assert.equal((await shown("/v2/schedules/standup"))["isPaused"], false);

    await page.getByRole("button", { name: "Run now" }).click();
    await page.waitForURL("**/messages/msg_*");
    const [request] = await journey.destination.received("/standup");
    assert.equal(request.headers["x-team"], "a");

    await page.goto(`${journey.service.url}/schedules/standup`);
    await page.getByText("Delivered").first().waitFor();
    await page.getByRole("button", { name: "Delete…" }).click();
    await dialog.getByRole("button", { name: "Delete schedule" }).click();
    await page.getByText("No schedule yet").waitFor();
    // The browser reports the refusal of the wrong expression, which the form has shown.
    assert.match(watched.complaints.splice(0).join("\n"), /^[^\n]*cron\/preview\?cron=99[^\n]*$/);
    await requireSound(watched);
  });

  test("a queue is created, gets another limit, is paused and deleted, with a way back", async (t) => {
    const watched = await journey.open(t, "/flow");
    const { page } = watched;
    await page.keyboard.press("c");
    await page.getByLabel("Name").fill("orders");
    await page.getByLabel("Messages at a time").fill("2");
    await page.getByRole("button", { name: "Create queue" }).click();
    await page.getByText("0 of 2").waitFor();
    await page.getByRole("button", { name: "Change the limit of orders" }).click();
    await page.getByLabel("Messages at a time").fill("5");
    await page.getByRole("button", { name: "Set limit" }).click();
    await page.getByText("0 of 5").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("0 of 2").waitFor();
    await page.getByRole("button", { name: "Pause orders" }).click();
    await page.getByText("Queue orders is paused.").waitFor();
    await eventually(
      async () => ((await shown("/v2/queues/orders"))["paused"] === true ? true : null),
      "paused",
    );
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Pause orders" }).waitFor();
    assert.equal((await shown("/v2/queues/orders"))["paused"], false);
    await page.getByRole("button", { name: "Delete orders" }).click();
    await page.locator("dialog").getByRole("button", { name: "Delete queue" }).click();
    await page.getByText("No queue yet").waitFor();
    await requireSound(watched);
  });

  test("a key is pinned, set back, paused, and its rate is reset", async (t) => {
    const headers = {
      "Svc-Flow-Control-Key": "api/one",
      "Svc-Flow-Control-Value": "parallelism=3, rate=1, period=1h",
    };
    await journey.service.publish(`${journey.destination.url}/first`, headers);
    await journey.destination.received("/first");
    await journey.service.publish(`${journey.destination.url}/second`, headers);
    const watched = await journey.open(t, "/flow");
    const { page } = watched;
    await page.getByText("rate used up, opens in").waitFor();
    await page.locator("td .meter .holdf").waitFor();
    await page.getByRole("button", { name: "Pin limits of api/one" }).click();
    await page.getByLabel("At once").fill("7");
    await page.getByRole("button", { name: "Pin", exact: true }).click();
    await page.getByText("of 7").waitFor();
    assert.equal((await shown("/v2/flowControl/api/one"))["isPinnedParallelism"], true);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("of 3").waitFor();
    assert.equal((await shown("/v2/flowControl/api/one"))["isPinnedParallelism"], false);
    await page.getByRole("button", { name: "Pause api/one" }).click();
    await page.getByText("paused until you resume it").waitFor();
    await page.getByRole("button", { name: "Resume api/one" }).click();
    await page.getByRole("button", { name: "Reset the rate of api/one" }).click();
    await journey.destination.received("/second");
    await requireSound(watched);
  });

  test("a URL group is created, gets an endpoint and a header, loses one, and is deleted", async (t) => {
    const watched = await journey.open(t, "/groups");
    const { page } = watched;
    await page.keyboard.press("c");
    await page.getByLabel("Group", { exact: true }).fill("partners");
    await page.getByLabel("URL", { exact: true }).fill(`${journey.destination.url}/a`);
    await page.getByLabel("Name", { exact: true }).fill("a");
    await page.getByRole("button", { name: "Create group" }).click();
    await page.waitForURL("**/groups/partners");
    await page.getByRole("button", { name: "Add endpoint" }).click();
    await page.locator("dialog").getByLabel("URL", { exact: true }).fill("no url");
    await page.locator("dialog").getByRole("button", { name: "Add endpoint" }).click();
    await page.getByRole("alert").waitFor();
    await page
      .locator("dialog")
      .getByLabel("URL", { exact: true })
      .fill(`${journey.destination.url}/b`);
    await page.locator("dialog").getByLabel("Name", { exact: true }).fill("b");
    await page.locator("dialog").getByRole("button", { name: "Add endpoint" }).click();
    await page.getByText("1 message becomes 2").waitFor();
    await page.getByRole("button", { name: "Edit headers" }).click();
    await page.getByLabel("Headers, one a line").fill("Svc-Retries: 4");
    await page.getByRole("button", { name: "Save headers" }).click();
    await page.getByText("Svc-Retries: 4").waitFor();
    await page.getByRole("button", { name: "Remove b" }).click();
    await page.getByText("b is removed.").waitFor();
    await page.getByText("1 message becomes 1").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("1 message becomes 2").waitFor();
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("button", { name: "Delete group and 2 endpoints" }).click();
    await page.getByText("No URL group yet").waitFor();
    watched.complaints.length = 0;
    await requireSound(watched);
  });
});
