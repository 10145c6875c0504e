/** Secrets, limits and accounts in the dashboard, on a real service. */
import assert from "node:assert/strict";
import { hostname } from "node:os";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { requireSound, visit, WIDTHS } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";
import { ADMIN, callConsole, freshAccount } from "../support/console-call.ts";

const SERVED = { mode: "serve", flags: { adminPassword: ADMIN[1] } } as const;

browserJourneys("settings and accounts in the dashboard", SERVED, (journey) => {
  test("a token is made, shown once, works, and is revoked", async (t) => {
    const account = await freshAccount(journey.service.url);
    const watched = await journey.open(t);
    const { page } = watched;
    await visit(page, journey.service.url, "/settings", account.token);
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByLabel("Name", { exact: true }).fill("ci");
    await page.getByLabel("Ends in").selectOption("90 days");
    await page.getByRole("button", { name: "Make token" }).click();
    await page.getByText("Shown once. Copy it now.").waitFor();
    const token = (await page.locator(".issued code").textContent())!;
    await requireSound(watched);
    const read = await journey.service.call("GET", "/v2/account", { token });
    assert.equal(read.json["access"], "read-only");
    await page.getByRole("button", { name: "I have copied it" }).click();
    await page.getByText("New token ci").waitFor({ state: "detached" });
    assert.equal(await page.getByText(token).count(), 0);
    await page.getByRole("button", { name: "Revoke ci" }).click();
    await page.locator("dialog").getByRole("button", { name: "Revoke token" }).click();
    await page.getByText("Token ci is revoked.").waitFor();
    assert.equal((await journey.service.call("GET", "/v2/account", { token })).status, 401);
  });

  test("a rotation says what it does, keeps the browser signed in, and the old token for a while", async (t) => {
    const account = await freshAccount(journey.service.url);
    const watched = await journey.open(t);
    const { page } = watched;
    await visit(page, journey.service.url, "/settings", account.token);
    await page.getByRole("button", { name: "Rotate…" }).last().click();
    await page.getByText("Named tokens and signing keys do not change.").waitFor();
    await requireSound(watched);
    await page.getByLabel("The old tokens work for").selectOption("1h");
    await page.getByRole("button", { name: "Rotate tokens and password" }).click();
    await page.getByText("The old tokens work for 1 hour more.").waitFor();
    const token = (await page.locator(".issued code").first().textContent())!;
    assert.equal((await journey.service.call("GET", "/v2/account", { token })).status, 200);
    const old = await journey.service.call("GET", "/v2/account", { token: account.token });
    assert.equal(old.status, 200);
    await page.reload();
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    assert.equal(await page.getByText(token).count(), 0);
  });

  test("signing keys are masked until they are shown, and rotate after a warning", async (t) => {
    const account = await freshAccount(journey.service.url);
    const { token } = account;
    const keys = (await journey.service.call("GET", "/v2/keys", { token })).json;
    const { page } = await journey.open(t);
    await visit(page, journey.service.url, "/settings", token);
    await page.getByRole("button", { name: "Show current key" }).waitFor();
    const answer = await page.request.get(`${journey.service.url}/v2/session`);
    const own = (await answer.json()) as Readonly<Record<string, string>>;
    assert.equal(await page.locator("summary .grow").textContent(), own["name"]);
    assert.notEqual(own["name"], own["accountId"]);
    assert.ok(!(await page.content()).includes(keys["current"] as string));
    await page.getByRole("button", { name: "Show current key" }).click();
    await page.getByText(keys["current"] as string).waitFor();
    await page.getByRole("button", { name: "Rotate…" }).first().click();
    await page.getByRole("button", { name: "Rotate signing keys" }).click();
    await page.getByText(keys["next"] as string).waitFor();
    const rotated = (await journey.service.call("GET", "/v2/keys", { token })).json;
    assert.equal(rotated["current"], keys["next"]);
  });

  test("the theme and the keys are the choice of this browser", async (t) => {
    const { page } = await journey.open(t);
    await visit(page, journey.service.url, "/settings", journey.service.token);
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await ground();
    await page.getByRole("button", { name: "Dark" }).click();
    assert.notEqual(await ground(), light);
    await page.getByLabel("Single-key shortcuts").uncheck();
    await page.reload();
    await page.getByRole("button", { name: "Dark", pressed: true }).waitFor();
    await page.keyboard.press("?");
    assert.equal(await page.locator("dialog").count(), 0);
    await page.getByRole("button", { name: "System" }).click();
    assert.equal(await ground(), light);
  });

  test("the operator creates an account, and changes its plan, limits and state", async (t) => {
    const watched = await journey.open(t);
    const { page } = watched;
    await signInAsOperator(page, journey.service.url);
    await page.keyboard.press("c");
    await page.locator("dialog").getByLabel("Customer").fill("ann@acme.example");
    await page.locator("dialog").getByLabel("Plan").selectOption("free");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("Shown once. Copy them now.").waitFor();
    const token = (await page.locator(".issued code").first().textContent())!;
    const { json } = await journey.service.call("GET", "/v2/account", { token });
    const id = json["id"] as string;
    const record = async () =>
      (await callConsole(journey.service.url, "GET", `/v2/svc/user/${id}`)).json;
    assert.equal(json["type"], "free");
    await page.getByLabel("Find an account").fill("ann@");
    await page.locator("tr", { hasText: "ann@acme.example" }).getByRole("link").click();
    await page.waitForURL(`**/accounts/${id}`);

    await page.getByRole("button", { name: "Change plan" }).click();
    await page.locator("dialog").getByLabel("Plan").selectOption("svc_fixed_1m");
    await page.locator("dialog").getByRole("button", { name: "Change plan" }).click();
    await page.getByText("ann@acme.example is on plan svc_fixed_1m.").waitFor();
    await page.getByRole("button", { name: "Change max_topics" }).click();
    await page.getByRole("button", { name: "Own value" }).click();
    await page.locator("dialog").getByLabel("Value").fill("5");
    await page.getByRole("button", { name: "Change limit" }).click();
    await page.locator("tr", { hasText: "URL groups" }).getByText("set").waitFor();
    assert.equal((await record())["max_topics"], 5);

    await page.getByRole("button", { name: "Pause deliveries" }).click();
    await page.locator(".bar .chip", { hasText: "Paused" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator(".bar .chip", { hasText: "Active" }).waitFor();
    await page.getByRole("button", { name: "Suspend…" }).click();
    await page.getByRole("button", { name: "Suspend account" }).click();
    await page.locator(".bar .chip", { hasText: "Suspended" }).waitFor();
    assert.equal((await journey.service.call("GET", "/v2/queues", { token })).status, 403);
    await page.getByRole("button", { name: "Rotate…" }).click();
    await page.getByRole("button", { name: "Rotate tokens and password" }).click();
    await page.getByText("New credentials of ann@acme.example").waitFor();
    await requireSound(watched);
  });

  test("the operator sees the nodes, and pauses all deliveries", async (t) => {
    const watched = await journey.open(t, undefined, { width: WIDTHS.narrow });
    const { page } = watched;
    await signInAsOperator(page, journey.service.url);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByText(hostname()).waitFor();
    await page.getByText("An accepted message is on").waitFor();
    await requireSound(watched);
    await page.getByRole("button", { name: "Pause all deliveries…" }).click();
    await page.locator("dialog").getByRole("button", { name: "Pause all deliveries" }).click();
    await page.getByText("All deliveries of this server are paused.").waitFor();
    await page.getByRole("button", { name: "Resume all deliveries…" }).click();
    await page.locator("dialog").getByRole("button", { name: "Resume all deliveries" }).click();
    await page.getByRole("button", { name: "Pause all deliveries…" }).waitFor();
    const { id } = await freshAccount(journey.service.url);
    for (const [size, width] of Object.entries(WIDTHS)) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${journey.service.url}/accounts/${id}`);
      await page.getByText("Nothing was sent in this time.").waitFor();
      await requireSound(watched).catch((error: unknown) => {
        throw new Error(`an account, ${size}`, { cause: error });
      });
    }
    await page.goto(`${journey.service.url}/accounts/none`);
    await page.getByText("This account is not here").waitFor();
    await requireSound(watched);
  });
});

async function signInAsOperator(page: Page, origin: string): Promise<void> {
  await page.goto(origin);
  await page.getByRole("button", { name: "Sign in as operator" }).click();
  await page.getByLabel("Name", { exact: true }).fill(ADMIN[0]);
  await page.getByLabel("Password").fill(ADMIN[1]);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Accounts" }).waitFor();
}
