/** What one does with dead letters in the dashboard, on a real service. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { requireSound, visit, WIDTHS } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";
import { until } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { CANARY, ShownRuns } from "../support/shown-runs.ts";

browserJourneys("dead letters in the dashboard", {}, (journey) => {
  let runs: ShownRuns;
  before(async () => {
    runs = await ShownRuns.start(journey.service, journey.destination);
  });
  beforeEach(async () => {
    journey.destination.respond = ({ url }) => ({
      status: url.startsWith("/busy") ? 503 : url.startsWith("/bad") ? 422 : 200,
      body: url.startsWith("/bad") ? CANARY : '{"message":"no carrier"}',
    });
    await journey.service.call("DELETE", "/v2/dlq");
    await journey.service.call("DELETE", "/v2/workflows/dlq");
  });
  after(() => runs?.close());

  async function die(path: string, count: number): Promise<void> {
    const headers = { "Svc-Retries": "0", "Svc-Label": path.slice(1) };
    for (let index = 0; index < count; index++) {
      await journey.service.publish(`${journey.destination.url}${path}/${index}`, headers);
    }
    await until(async () => (await deadCount(path.slice(1))) === count, path);
  }

  function deadCount(label: string): Promise<number> {
    return countAt(`/v2/dlq?label=${label}`);
  }

  async function countAt(path: string): Promise<number> {
    const { json } = await journey.service.call("GET", path);
    return (json["messages"] as unknown[]).length;
  }

  /** What was retried does not die in the next test. */
  async function settled(): Promise<void> {
    await until(
      async () => (await countAt("/v2/messages?label=busy")) === 0,
      "no message under way",
    );
  }

  async function failRuns(count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      await runs.ended(await runs.trigger("/markup"), "RUN_FAILED");
    }
  }

  for (const [size, width] of Object.entries(WIDTHS)) {
    test(`groups, a list and nothing, ${size}`, async (t) => {
      const watched = await journey.open(t, "/dead", { width });
      const { page } = watched;
      await page.getByText("No dead letter", { exact: true }).waitFor();
      await requireSound(watched);
      await die("/busy", 3);
      await die("/bad", 1);
      await failRuns(1);
      await page.goto(`${journey.service.url}/dead?group=error`);
      await page.getByRole("button", { name: /^503 Service Unavailable/ }).click();
      await page.getByText("3 of 3").waitFor();
      await page.getByLabel("Select all 3 messages: 503 Service Unavailable").click();
      await page.getByText("3 selected").waitFor();
      assert.equal(await page.locator("main img, main script, main [style]").count(), 0);
      await requireSound(watched);
      await page.goto(`${journey.service.url}/dead?group=none`);
      await page.getByRole("heading", { name: "Runs" }).waitFor();
      await page.getByText(CANARY).first().waitFor();
      assert.equal(await page.locator("main img, main script").count(), 0);
      assert.doesNotMatch(await page.title(), /taken/);
      await requireSound(watched);
    });
  }

  for (const width of [WIDTHS.wide, WIDTHS.narrow]) {
    test(`messages and runs with one error are told apart, ${width} px`, async (t) => {
      const url = `http://127.0.0.1:${await freePort()}/gone`;
      const id = await journey.service.publish(url, { "Svc-Retries": "0" });
      const headers = { "Svc-Retries": "0", "Svc-Workflow-RunId": `wfr_gone-${width}` };
      await journey.service.call("POST", `/v2/trigger/${url}`, { headers });
      const watched = await journey.open(t, undefined, { width });
      const groupOf = (kind: string) =>
        watched.page.getByRole("region", {
          name: new RegExp(`connection refused.*, ${kind}$`, "i"),
        });
      await journey.service.failedRun(`wfr_gone-${width}`);
      await visit(watched.page, journey.service.url, "/dead?group=error", journey.service.token);
      await groupOf("messages").getByText("messages", { exact: true }).waitFor();
      await groupOf("runs").getByText("runs", { exact: true }).waitFor();
      await requireSound(watched);
      await watched.page.goto(`${journey.service.url}/messages/${id}`);
      await watched.page.getByRole("button", { name: /^Attempt 1, error: / }).waitFor();
      await requireSound(watched);
    });
  }

  test("a group is retried by its filter, page by page, after its count was shown", async (t) => {
    await die("/busy", 45);
    await die("/bad", 2);
    const { page } = await journey.open(t, "/dead");
    journey.destination.respond = () => ({ status: 200 });
    await page.getByLabel("Select all 45 messages: 503 Service Unavailable").click();
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/v2/dlq/retry"))
        sent.push(`${request.url()} ${request.postData() ?? ""}`);
    });
    await page.getByRole("button", { name: "Retry 45 messages" }).click();
    const dialog = page.locator("dialog");
    await dialog.getByRole("heading", { name: "Retry 45 messages?" }).waitFor();
    await dialog.getByRole("button", { name: "Copy as curl" }).click();
    await page.getByText("The command copied.").waitFor();
    const command = (await page.evaluate("navigator.clipboard.readText()")) as string;
    assert.match(command, /POST '.*\/v2\/dlq\/retry\?responseStatus=503&cause=no\+carrier'/);
    await dialog.getByRole("button", { name: "Retry 45 messages" }).click();
    await page.getByText("Retried 45 messages.").waitFor();
    await page.getByRole("button", { name: /^422 Unprocessable/ }).waitFor();
    assert.equal(await deadCount("busy"), 0);
    assert.equal(await deadCount("bad"), 2);
    assert.ok(sent.length >= 3, sent.join("\n"));
    for (const each of sent) assert.match(each, /responseStatus=503/);
    assert.ok(sent.every((each) => !each.includes("dlqIds")));
    await settled();
  });

  for (const width of [WIDTHS.wide, WIDTHS.narrow]) {
    test(`by host: with attempts and the day of removal, and retried as one, ${width} px`, async (t) => {
      const { service, destination } = journey;
      const host = new URL(destination.url).host.replace("127.0.0.1", "localhost");
      for (const path of ["/busy/a", "/bad/b"]) {
        const headers = { "Svc-Retries": "1", "Svc-Retry-Delay": "10", "Svc-Label": "of-host" };
        await service.publish(`http://${host}${path}`, headers);
      }
      await until(async () => (await deadCount("of-host")) === 2, "both failed");
      await die("/busy", 1);
      const watched = await journey.open(t, "/dead", { width });
      const { page } = watched;
      await page.getByRole("button", { name: "By host" }).click();
      const group = page.getByRole("region", { name: `${host}, messages` });
      await group.getByRole("button", { name: /(503, 422|422, 503) since .*, 4 attempts/ }).click();
      const row = group.locator("tbody tr", { hasText: "/busy/a" });
      await row.getByText("2 attempts", { exact: true }).waitFor();
      if (width === WIDTHS.wide) await row.getByText(/^in [67] days$/).waitFor();
      await requireSound(watched);
      await page.getByRole("button", { name: "List", exact: true }).click();
      await page.getByText("3 messages", { exact: true }).waitFor();
      await page.getByRole("button", { name: "By host" }).click();
      destination.respond = () => ({ status: 200 });
      await page.getByLabel(`Select all 2 messages: ${host}`).check();
      await page.getByRole("button", { name: /^Retry 2 messages/ }).click();
      await page.locator("dialog").getByRole("button", { name: "Retry 2 messages" }).click();
      await page.getByText("Retried 2 messages.").waitFor();
      assert.equal(await deadCount("busy"), 1);
    });
  }

  test("a retry that goes on is stopped", async (t) => {
    await die("/busy", 45);
    const { page } = await journey.open(t, "/dead");
    journey.destination.respond = () => ({ status: 200 });
    await page.route("**/v2/dlq/retry?*", async (route) => {
      await page.getByText(/^Stopping/).waitFor();
      await route.continue();
    });
    await page.getByLabel("Select all 45 messages: 503 Service Unavailable").click();
    await page.keyboard.press("r");
    await page.locator("dialog").getByRole("button", { name: "Retry 45 messages" }).click();
    await page.getByText("Retrying 0 of 45").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped before the other 25.").waitFor();
    await settled();
  });

  test("what cannot be retried is told, the others are", async (t) => {
    await die("/busy", 3);
    const { page } = await journey.open(t, "/dead");
    journey.destination.respond = () => ({ status: 200 });
    const { json } = await journey.service.call("GET", "/v2/dlq?count=1");
    const [{ dlqId }] = json["messages"] as [{ dlqId: string }];
    await page.route("**/v2/dlq/retry**", (route) =>
      /retry\?/.test(route.request().url()) || route.request().url().endsWith(dlqId)
        ? route.fulfill({ status: 412, json: { error: "url: is not allowed any more" } })
        : route.continue(),
    );
    await page.getByLabel("Select all 3 messages: 503 Service Unavailable").click();
    await page.getByRole("button", { name: "Retry 3 messages" }).click();
    await page.locator("dialog").getByRole("button", { name: "Retry 3 messages" }).click();
    await page.getByText("1 could not be retried.").waitFor();
    await page.getByText("Retried 2 messages.").waitFor();
    await page
      .getByRole("list", { name: "What failed" })
      .getByText("url: is not allowed")
      .waitFor();
    await settled();
  });

  test("single ones are chosen with keys, and deleted", async (t) => {
    await die("/busy", 4);
    const { page } = await journey.open(t, "/dead");
    await page.getByRole("button", { name: /^503/ }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByText("4 of 4").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.getByText("2 selected").waitFor();
    await page.getByRole("button", { name: "Delete 2" }).click();
    await page.locator("dialog").getByRole("button", { name: "Delete 2 messages" }).click();
    await page.getByText("Deleted 2 messages.").waitFor();
    assert.equal(await deadCount("busy"), 2);
  });

  test("failed runs are resumed and restarted", async (t) => {
    await failRuns(2);
    const { page } = await journey.open(t, "/dead");
    const check = page.getByLabel(/^Select all \d runs: Step “.*”: /);
    await check.click();
    await page.getByRole("button", { name: "Resume 2 runs" }).click();
    await page.locator("dialog").getByRole("button", { name: "Resume 2 runs" }).click();
    await page.getByText("Resumed 2 runs.").waitFor();
    await page.getByText("2 failed again.").waitFor();
    await page.getByRole("link", { name: "See them" }).click();
    await page.getByText("2 runs", { exact: true }).first().waitFor();
    await page.locator("tbody tr.loading").first().waitFor({ state: "detached" });
    assert.equal(await page.locator("tbody tr").count(), 2);
    await until(async () => (await countAt("/v2/workflows/dlq")) === 2, "both failed again");
    await page.goto(`${journey.service.url}/dead`);
    await page.getByLabel(/^Select all 2 runs:/).click();
    await page.getByRole("button", { name: "Restart 2 runs" }).click();
    await page.locator("dialog").getByRole("button", { name: "Restart 2 runs" }).click();
    await page.getByText("Restarted 2 runs.").waitFor();
  });

  test("a retry may be spread over a time", async (t) => {
    await die("/busy", 2);
    const { page } = await journey.open(t, "/dead");
    await page.getByLabel("Select all 2 messages: 503 Service Unavailable").click();
    await page.getByRole("button", { name: "Retry 2 messages" }).click();
    journey.destination.respond = () => ({ status: 200 });
    await page.getByLabel("When").selectOption("10m");
    const asked = page.waitForRequest(/\/v2\/dlq\/retry\?.*over=10m/);
    await page.locator("dialog").getByRole("button", { name: "Retry 2 messages" }).click();
    await asked;
    await page.getByText("Retried 2 messages.").waitFor();
    await journey.service.call("POST", "/v2/messages/retry?label=busy");
    await settled();
  });

  test("a filter makes a list, and all that match are chosen by it", async (t) => {
    await die("/busy", 3);
    await die("/bad", 2);
    const { page } = await journey.open(t, "/dead");
    await page.keyboard.press("/");
    await page.keyboard.type("label:busy");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/dead?label=busy");
    await page.reload();
    await page.getByText("3 messages").waitFor();
    // The list of runs goes once it is known to be empty.
    await page.getByRole("heading", { name: "Runs" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Select all that match" }).click();
    await page.getByText("3 selected").waitFor();
    await page.getByRole("button", { name: "Delete 3" }).click();
    await page.locator("dialog").getByRole("button", { name: "Delete 3 messages" }).click();
    await page.getByText("Deleted 3 messages.").waitFor();
    assert.equal(await deadCount("bad"), 2);
  });

  test("a read-only session sees no check boxes and no actions", async (t) => {
    await die("/busy", 2);
    const watched = await journey.open(t, "/dead", {
      token: journey.service.credentials.readOnlyToken,
    });
    const { page } = watched;
    await page.getByRole("button", { name: /^503/ }).click();
    await page.getByText("2 of 2").waitFor();
    assert.equal(await page.getByRole("checkbox").count(), 0);
    assert.equal(await page.getByRole("button", { name: /^(Retry|Delete)/ }).count(), 0);
    await requireSound(watched);
  });
});
