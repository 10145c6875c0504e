/** The first five minutes: signing in, the first message, and a session that may only read. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { enterToken, requireSound, visit, WIDTHS } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";
import { until } from "../support/eventually.ts";

const execute = promisify(execFile);

browserJourneys("the first five minutes", {}, (journey) => {
  test("a wrong token is refused in words, the right one opens the screen that was asked for", async (t) => {
    const service = await journey.start(t, { mode: "serve" });
    const watched = await journey.open(t, undefined, { service, width: WIDTHS.narrow });
    const { page } = watched;
    await page.goto(`${service.url}/messages`);
    await enterToken(page, "wrong");
    await page.getByText("The server does not know this token.").waitFor();
    watched.complaints.length = 0;
    await requireSound(watched);
    await enterToken(page, service.token);
    await page.getByText("Send your first message").waitFor();
    assert.match(page.url(), /\/messages$/);
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByText("The command copied.").waitFor();
    const command = (await page.evaluate("navigator.clipboard.readText()")) as string;
    assert.match(command, new RegExp(`'Authorization: Bearer ${service.token}'`));
  });

  test("the command works as it is copied, and its message appears", async (t) => {
    const service = await journey.start(t);
    const watched = await journey.open(t, undefined, { service });
    const { page } = watched;
    await visit(page, service.url, "/messages", service.token);
    await page.getByText("Send your first message").waitFor();
    await requireSound(watched);
    const { json: before } = await service.call("GET", "/v2/account/tokens");
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByText("Set POSTRIDER_TOKEN to a token of yours before").waitFor();
    const command = (await page.evaluate("navigator.clipboard.readText()")) as string;
    assert.match(command, /"Authorization: Bearer \$POSTRIDER_TOKEN"/);
    const env = { ...process.env, POSTRIDER_TOKEN: service.token };
    const { stdout } = await execute("sh", ["-c", command], { env });
    const { json: after } = await service.call("GET", "/v2/account/tokens");
    assert.equal(after["length"], before["length"]);
    const { messageId } = JSON.parse(stdout) as { messageId: string };
    await page.locator(`tr[data-key="${messageId}"]`).waitFor();
    await page.getByText("Delivered").first().waitFor();
  });

  for (const [from, press] of [
    ["/runs", "Run the sample workflow"],
    ["/messages", /^Run a workflow/],
  ] as const) {
    test(`a first workflow runs after one press, from ${from}`, async (t) => {
      const service = await journey.start(t);
      const watched = await journey.open(t, undefined, { service, width: WIDTHS.narrow });
      const { page } = watched;
      await visit(page, service.url, from, service.token);
      await page.getByRole("button", { name: press }).waitFor();
      await requireSound(watched);
      await page.getByRole("button", { name: press }).focus();
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/runs\/wfr_/);
      await page.getByRole("row", { name: /^charge card, / }).waitFor();
      await until(async () => {
        await service.post("/dev/clock", { advance: "3s" });
        return (await service.list("/v2/workflows/logs?state=RUN_SUCCESS", "runs")).length === 1;
      }, "its end");
      await page.getByRole("row", { name: /^charge card, succeeded after 2 attempts/ }).waitFor();
      await page.getByRole("row", { name: /^cool off, sleep, succeeded/ }).waitFor();
      await page.getByText("4 steps", { exact: true }).waitFor();
      await page.getByText("Succeeded").first().waitFor();
      await page.getByText('"A-10492"').first().waitFor();
      await requireSound(watched);
      await page.goto(`${service.url}/runs`);
      const tabs = page.getByRole("group", { name: "State" });
      for (const name of ["All 1", "Running 0", "Sleeping 0", "Succeeded 1"]) {
        await tabs.getByRole("button", { name }).waitFor();
      }
    });
  }

  test("serve has no sample to run", async (t) => {
    const service = await journey.start(t, { mode: "serve" });
    const { page } = await journey.open(t, undefined, { service });
    await visit(page, service.url, "/runs", service.token);
    await page.getByText("No run yet").waitFor();
    assert.equal(await page.getByRole("button", { name: /sample/ }).count(), 0);
  });

  test("a read-only token sees everything and changes nothing", async (t) => {
    const service = await journey.start(t, { mode: "serve" });
    const id = await service.publish("https://example.com/", { "Svc-Delay": "1h" });
    const watched = await journey.open(t, undefined, { service });
    const { page } = watched;
    await visit(page, service.url, `/messages/${id}`, service.credentials.readOnlyToken);
    await page.getByText("You are signed in with a read-only token.").waitFor();
    const again = page.getByRole("button", { name: "Send again" });
    assert.equal(await again.getAttribute("aria-disabled"), "true");
    assert.equal(await page.getByRole("button", { name: "Send now" }).count(), 0);
    await requireSound(watched);
  });
});
