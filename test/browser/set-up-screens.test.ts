/** The set-up screens in three widths and both themes: sound, and what users wrote stays text. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { requireSound, visit, WIDTHS } from "../support/browser.ts";
import { browserJourneys } from "../support/browser-journeys.ts";
import type { TestService } from "../support/service-harness.ts";

const MARKUP = "<img src=x onerror=document.title='taken'>";

browserJourneys("set-up screens of the dashboard", {}, (journey) => {
  before(async () => {
    await setUp(journey.service, journey.destination.url);
  });

  const screens: Record<string, { path: string; shows: string | RegExp }> = {
    schedules: { path: "/schedules", shows: "At 09:00 on weekdays, Berlin" },
    "a schedule": { path: "/schedules/daily", shows: "Your time, UTC" },
    "a schedule that is not there": { path: "/schedules/none", shows: "This schedule is not here" },
    "queues and keys": { path: "/flow", shows: "rate used up, opens in" },
    "URL groups": { path: "/groups", shows: "4 more endpoints" },
    "a URL group": { path: "/groups/many", shows: "endpoint-11" },
    "a URL group that is not there": { path: "/groups/none", shows: "This URL group is not here" },
    settings: { path: "/settings", shows: "Usage against limits" },
  };

  for (const [name, { path, shows }] of Object.entries(screens)) {
    for (const [size, width] of Object.entries(WIDTHS)) {
      test(`${name}, ${size}`, async (t) => {
        const theme = size === "medium" ? "light" : "dark";
        const watched = await journey.open(t, path, { width, theme });
        await watched.page.getByText(shows).first().waitFor();
        assert.equal(await watched.page.locator("h1").count(), 1);
        await requireSound(watched);
        assert.equal(await watched.page.locator("main img, main script").count(), 0);
        assert.notEqual(await watched.page.title(), "taken");
      });
    }
  }

  test("the buttons of queues and keys stand below each other, narrow", async (t) => {
    const { page } = await journey.open(t, "/flow", { width: WIDTHS.narrow });
    await page.getByText("rate used up, opens in").waitFor();
    const names = ["Delete held", "Delete orders", "Pause slow", "Resume kkk"];
    const places = await Promise.all(
      names.map(async (name) => {
        const button = (await page.getByRole("button", { name }).boundingBox())!;
        const inRow = page.getByRole("row").filter({ has: page.getByRole("button", { name }) });
        return [button.x, button.y - (await inRow.boundingBox())!.y];
      }),
    );
    assert.deepEqual(
      places,
      names.map(() => places[0]),
    );
  });

  test("long names and rare expressions are whole where it matters", async (t) => {
    const { service, destination } = journey;
    const long = `Monatliche-Sammelrechnung-an-Grosskunden-mit-Mahnlauf-${"x".repeat(40)}`;
    const headers = {
      "Svc-Schedule-Id": long,
      "Svc-Cron": "CRON_TZ=America/Argentina/Buenos_Aires 0,15,30,45 3-5 1-7,15 1,4,7,10 MON",
    };
    await service.call("POST", `/v2/schedules/${destination.url}`, { headers });
    await service.call("POST", "/v2/account/tokens", {
      body: JSON.stringify({ name: long.slice(0, 60), scope: "full" }),
    });
    for (const width of Object.values(WIDTHS)) {
      const watched = await journey.open(t, `/schedules/${long}`, { width });
      await watched.page.getByText("Every 15 minutes from 03:00 to 05:45").waitFor();
      await requireSound(watched);
      await watched.page.goto(`${service.url}/settings`);
      const scope = watched.page.locator(".tag", { hasText: /^full$/ }).first();
      await scope.waitFor();
      const hidden = await scope.evaluate((tag) => tag.scrollWidth - tag.clientWidth);
      assert.ok(hidden <= 0, `${hidden} px of the scope are hidden at ${width}`);
      await requireSound(watched);
    }
  });

  test("with nothing in them, they say what would be there", async (t) => {
    const empty = await journey.start(t);
    const watched = await journey.open(t, undefined, { service: empty, width: WIDTHS.narrow });
    const sentences: Record<string, string> = {
      "/schedules": "No schedule yet",
      "/flow": "No queue yet",
      "/groups": "No URL group yet",
    };
    for (const [path, sentence] of Object.entries(sentences)) {
      await visit(watched.page, empty.url, path, empty.token);
      await watched.page.getByText(sentence).waitFor();
      await requireSound(watched);
    }
  });

  test("what users wrote is shown as text", async (t) => {
    const watched = await journey.open(t);
    for (const path of ["/schedules/daily", "/groups/partners", "/settings"]) {
      await visit(watched.page, journey.service.url, path, journey.service.token);
      await watched.page.getByText(MARKUP).first().waitFor();
      assert.equal(await watched.page.locator("main img, main script").count(), 0);
      await requireSound(watched);
    }
  });

  test("every dialog is sound, wide and narrow", async (t) => {
    for (const width of [WIDTHS.wide, WIDTHS.narrow]) {
      const watched = await journey.open(t, undefined, { width });
      const buttons: [path: string, button: string][] = [
        ["/messages", "Send message"],
        ["/messages?state=CREATED", "Send all now…"],
        ["/messages?state=CREATED", "Cancel all…"],
        ["/schedules", "New schedule"],
        ["/schedules/daily", "Edit"],
        ["/schedules/daily", "Delete…"],
        ["/flow", "New queue"],
        ["/flow", "Change the limit of orders"],
        ["/flow", "Pin limits of slow"],
        ["/flow", "Delete orders"],
        ["/groups", "New group"],
        ["/groups/partners", "Add endpoint"],
        ["/groups/partners", "Edit headers"],
        ["/groups/partners", "Delete…"],
        ["/settings", "New token"],
        ["/settings", "Revoke"],
        ["/settings", "Rotate…"],
      ];
      for (const [path, button] of buttons) {
        await visit(watched.page, journey.service.url, path, journey.service.token);
        await watched.page.getByRole("button", { name: button, exact: false }).first().click();
        await watched.page.locator("dialog[open]").waitFor();
        await requireSound(watched);
      }
    }
  });
});

async function setUp(service: TestService, url: string): Promise<void> {
  const post = async (path: string, body = "", headers: Record<string, string> = {}) => {
    const { status, text } = await service.call("POST", path, { body, headers });
    assert.ok(status < 300, `${path} ${status} ${text}`);
  };
  const berlin = "CRON_TZ=Europe/Berlin 0 9 * * MON-FRI";
  await post(`/v2/schedules/${url}/daily`, MARKUP, cron("daily", berlin));
  await post(`/v2/schedules/${url}/often`, "", cron("o".repeat(60), "*/5 * * * *"));
  await post("/v2/schedules/daily/run");
  await post("/v2/queues", '{"queueName":"orders","parallelism":2}');
  await post("/v2/queues", '{"queueName":"held","paused":true}');
  await post(`/v2/enqueue/held/${url}/held`);
  const key = { "Svc-Flow-Control-Key": "slow", "Svc-Flow-Control-Value": "rate=1, period=1h" };
  await post(`/v2/publish/${url}/one`, "", key);
  await post(`/v2/publish/${url}/two`, "", key);
  await post(`/v2/flowControl/${"k".repeat(100)}/pause`);
  const many = Array.from({ length: 12 }, (_, at) => ({
    url: `${url}/${"long-part/".repeat(18)}${at}`,
    name: `endpoint-${at}`,
  }));
  await post("/v2/topics/many/endpoints", JSON.stringify({ endpoints: many }));
  const endpoints = [{ url: `${url}/partner`, name: MARKUP }];
  await post("/v2/topics/partners/endpoints", JSON.stringify({ endpoints }));
  await post("/v2/account/tokens", JSON.stringify({ name: MARKUP, scope: "read-only" }));
}

function cron(id: string, text: string): Record<string, string> {
  return { "Svc-Schedule-Id": id, "Svc-Cron": text };
}
