/** An account in which something of everything has happened within the last hour, for pictures of the dashboard. */
import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { ConnectProxy } from "./connect-proxy.ts";
import { freshAccount } from "./console-call.ts";
import { DestinationServer, type Received, type Reply } from "./destination-server.ts";
import { FastClock } from "./fast-clock.ts";
import { TestService } from "./service-harness.ts";
import { ShownRuns } from "./shown-runs.ts";

const SHIPPING = "http://api.shipfast.example";
const PARTNER = "http://hooks.partner.example";
const SHOP = "http://app.acme.example";
const CRM = "http://crm.northwind.example";
const FLOWS = "http://flows.acme.example";
/** Of the message that has a picture: it fails each time. */
const TRACKED = "/v1/parcels/10460/track";
const RATE = 60;
const MINUTES = 64;
/** The minute from which shipping fails. */
const FAILS_FROM = 42;

export class BusyAccount {
  readonly service: TestService;
  readonly #close: (() => Promise<void>)[];
  readonly #runs: ShownRuns;
  /** Pages to open. */
  messageId = "";
  runId = "";
  accountId = "";

  private constructor(service: TestService, runs: ShownRuns, close: (() => Promise<void>)[]) {
    this.service = service;
    this.#runs = runs;
    this.#close = close;
  }

  static async start(): Promise<BusyAccount> {
    const clock = new FastClock(RATE, (MINUTES * 60_000) / RATE);
    let minute = 0;
    const destination = await DestinationServer.start((request, nth) =>
      replyTo(request, nth, minute),
    );
    const proxy = await ConnectProxy.start();
    const egressProxy = `http://127.0.0.1:${proxy.port}`;
    const service = await TestService.start({ clock, flags: { egressProxy } });
    const runs = await ShownRuns.start(service, { url: SHOP });
    runs.origin = FLOWS;
    for (const origin of [SHIPPING, PARTNER, SHOP, CRM]) {
      proxy.ports.set(`${new URL(origin).host}:80`, Number(new URL(destination.url).port));
    }
    proxy.ports.set(`${new URL(FLOWS).host}:80`, Number(new URL(runs.endpoint.url).port));
    const account = new BusyAccount(service, runs, [
      () => service.stop(),
      () => runs.close(),
      () => proxy.close(),
      () => destination.close(),
    ]);
    await account.#setUp();
    for (const startAt = clock.now(); clock.now() < Date.now();) {
      await account.#sendSome(minute);
      await wait(60_000 / RATE);
      minute = Math.floor((clock.now() - startAt) / 60_000);
    }
    await account.#holdBack();
    await account.#run();
    return account;
  }

  async close(): Promise<void> {
    for (const end of this.#close) await end();
  }

  async #post(path: string, body = "", headers: Record<string, string> = {}): Promise<void> {
    const { status, text } = await this.service.call("POST", path, { body, headers });
    assert.ok(status < 300, `${path} ${status} ${text}`);
  }

  async #setUp(): Promise<void> {
    const berlin = "CRON_TZ=Europe/Berlin ";
    await this.#post(
      `/v2/schedules/${SHOP}/reports/daily`,
      '{"report":"sales"}',
      cron("daily-report", `${berlin}0 9 * * MON-FRI`),
    );
    await this.#post(`/v2/schedules/${CRM}/sync`, "{}", cron("crm-sync", "*/10 * * * *"));
    await this.#post(`/v2/schedules/${SHOP}/cleanup`, "", cron("nightly-cleanup", "30 3 * * *"));
    await this.#post("/v2/queues", '{"queueName":"orders","parallelism":2}');
    await this.#post("/v2/queues", '{"queueName":"mail","parallelism":10}');
    await this.#post("/v2/queues", '{"queueName":"invoices","paused":true}');
    const endpoints = ["billing", "search", "warehouse"].map((name) => ({
      name,
      url: `${SHOP}/events/${name}`,
    }));
    endpoints.push({ name: "shipfast", url: `${SHIPPING}/v1/events` });
    await this.#post("/v2/topics/order-events/endpoints", JSON.stringify({ endpoints }));
    const partner = [{ name: "partner", url: `${PARTNER}/price-changes` }];
    await this.#post("/v2/topics/price-changes/endpoints", JSON.stringify({ endpoints: partner }));
    await this.#post("/v2/account/tokens", '{"name":"ci","scope":"read-only"}');
    await this.#post("/v2/account/tokens", '{"name":"web-shop","scope":"full"}');
    const { id } = (await freshAccount(this.service.url, { customer_id: "ann@acme.example" }))
      .record as { id: string };
    this.accountId = id;
    await freshAccount(this.service.url, { customer_id: "ben@northwind.example" });
  }

  async #sendSome(minute: number): Promise<void> {
    const order = 10_400 + minute;
    const body = JSON.stringify({ order: `A-${order}`, total: 84.9 });
    const send = (url: string, headers: Record<string, string> = {}): Promise<string> =>
      this.service.publish(url, { "Content-Type": "application/json", ...headers }, body);
    await send(`${SHOP}/orders/A-${order}/confirm`, { "Svc-Label": "orders" });
    await send(`${SHOP}/orders/A-${order}/index`);
    if (minute % 2 === 0) await send(`${CRM}/contacts`, { "Svc-Label": "crm" });
    if (minute % 3 === 0) await send(`${PARTNER}/price-changes`, { "Svc-Retries": "1" });
    if (minute % 6 === 0) await send(`${SHOP}/reminders/${order}`, { "Svc-Delay": "3h" });
    const label = { "Svc-Label": "shipping", "Svc-Retry-Delay": "900000" };
    await send(`${SHIPPING}/v1/parcels/${order}/track`, label);
    if (minute % 4 === 3) {
      await send(`${SHIPPING}/v1/labels`, { "Svc-Label": "shipping", "Svc-Retries": "0" });
    }
    if (minute % 5 === 0) await this.#post("/v2/publish/order-events", body);
  }

  /** What waits, for each reason. */
  async #holdBack(): Promise<void> {
    for (let each = 0; each < 7; each++) {
      await this.#post(`/v2/enqueue/orders/${SHOP}/slow/${each}`, '{"order":"A-10460"}');
    }
    await this.#post(`/v2/enqueue/invoices/${SHOP}/invoices/2026-11`, "{}");
    const key = {
      "Svc-Flow-Control-Key": "stripe-api",
      "Svc-Flow-Control-Value": "rate=2, period=10m",
    };
    for (let each = 0; each < 5; each++) await this.#post(`/v2/publish/${SHOP}/charges`, "{}", key);
    this.messageId = await this.service.publish(
      `${SHIPPING}${TRACKED}`,
      { "Svc-Label": "shipping,eu", "Svc-Retry-Delay": "1500 * pow(20, retried)" },
      '{"order":"A-10460","items":[{"sku":"tent-2","count":1}]}',
    );
  }

  async #run(): Promise<void> {
    const runs = this.#runs;
    const done = await runs.trigger("/workflows/order", {
      body: { order: "A-1" },
      label: "A-10458",
    });
    await runs.ended(done, "RUN_SUCCESS");
    const fails = { body: { order: "A-2", fails: true }, label: "A-10459", retries: 2 };
    this.runId = await runs.trigger("/workflows/order", fails);
    await runs.until(
      this.runId,
      ({ failureFunction }) => failureFunction?.state === "CALLBACK_SUCCESS",
    );
    const waits = await runs.trigger("/waits", { label: "A-10460" });
    const sleeps = await runs.trigger("/naps");
    await runs.until(waits, ({ steps }) => steps.length === 3);
    await runs.until(sleeps, ({ steps }) => steps.length === 2);
    await this.service.logUntil(this.messageId, "RETRY");
  }
}

async function replyTo({ url, headers }: Received, nth: number, minute: number): Promise<Reply> {
  const host = headers["host"] ?? "";
  if (url.startsWith("/slow/")) return { delayMs: 600_000 };
  const isLucky = nth % 4 === 0 && url !== TRACKED;
  const isDown = host.startsWith("api.shipfast") && minute >= FAILS_FROM && !isLucky;
  if (isDown) return { status: 503, body: '{"error":"upstream unavailable"}' };
  if (url === "/price-changes" && nth % 5 === 0)
    return { status: 422, body: '{"error":"no such sku"}' };
  if (url === "/charge" && nth === 1) return { status: 429 };
  await wait(1 + (nth % 3));
  return { body: '{"ok":true}' };
}

function cron(id: string, text: string): Record<string, string> {
  return { "Svc-Schedule-Id": id, "Svc-Cron": text };
}
