/**
 * `npm run screenshots`: pictures of every screen of the dashboard, of a service in which something has happened, into
 * docs/guides/images. Light and dark, wide and narrow. Names as arguments take only those screens.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openPage, signIn, visit } from "../support/browser.ts";
import { BusyAccount } from "../support/busy-account.ts";
import { ADMIN } from "../support/console-call.ts";
import { TestService } from "../support/service-harness.ts";

const FOLDER = fileURLToPath(new URL("../../docs/guides/images", import.meta.url));
const SIZES = [
  { name: "wide", width: 1440, height: 900 },
  { name: "narrow", width: 390, height: 844 },
] as const;
const THEMES = ["light", "dark"] as const;
const QUALITY = 72;
/** Every panel of a screen has its data by then. */
const SETTLE_MS = 1_500;

interface Shot {
  readonly name: string;
  readonly path: string;
  /** A text that is there when the screen is complete. */
  readonly shows: string;
  readonly as?: "operator" | "none";
  readonly of?: TestService;
}

const browser = await launchBrowser();
const busy = await BusyAccount.start();
const empty = await TestService.start({ mode: "serve" });
mkdirSync(FOLDER, { recursive: true });
try {
  for (const shot of wantedShots(process.argv.slice(2))) {
    for (const theme of THEMES) {
      for (const size of SIZES) await take(browser, shot, theme, size);
    }
    console.log(shot.name);
  }
} finally {
  await browser.close();
  await empty.stop();
  await busy.close();
}

function wantedShots(names: readonly string[]): Shot[] {
  const all = shots();
  const unknown = names.filter((name) => all.every((shot) => shot.name !== name));
  if (unknown.length > 0) throw new Error(`no screen ${unknown.join(", ")}`);
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}

function shots(): Shot[] {
  return [
    { name: "overview", path: "/", shows: "Busiest destinations" },
    { name: "messages", path: "/messages", shows: "/v1/parcels/10460/track" },
    { name: "message", path: `/messages/${busy.messageId}`, shows: "of 6 attempts" },
    { name: "runs", path: "/runs", shows: "book ledger: 500 after 3 attempts" },
    { name: "run", path: `/runs/${busy.runId}`, shows: "7 of 8 steps" },
    { name: "dead-letters", path: "/dead", shows: "503" },
    { name: "schedules", path: "/schedules", shows: "At 09:00 on weekdays, Berlin" },
    { name: "schedule", path: "/schedules/daily-report", shows: "Your time, UTC" },
    { name: "queues-and-keys", path: "/flow", shows: "stripe-api" },
    { name: "url-groups", path: "/groups", shows: "order-events" },
    { name: "url-group", path: "/groups/order-events", shows: "warehouse" },
    { name: "settings", path: "/settings", shows: "Usage against limits" },
    { name: "accounts", path: "/accounts", shows: "ann@acme.example", as: "operator" },
    {
      name: "account",
      path: `/accounts/${busy.accountId}`,
      shows: "ann@acme.example",
      as: "operator",
    },
    { name: "reference", path: "/docs#publishMessage", shows: "Publishes a message" },
    { name: "sign-in", path: "/messages", shows: "Sign in", as: "none", of: empty },
    { name: "first-message", path: "/messages", shows: "Send your first message", of: empty },
  ];
}

async function take(
  from: Browser,
  { name, path, shows, as, of: { url, token } = busy.service }: Shot,
  theme: (typeof THEMES)[number],
  { name: size, width, height }: (typeof SIZES)[number],
): Promise<void> {
  const { page } = await openPage(from, url, { width, theme });
  await page.setViewportSize({ width, height });
  if (as === "operator") await signInAsOperator(page, url);
  else if (as === undefined) await signIn(page, url, token);
  if (as === "none") await page.goto(`${url}${path}`);
  else await visit(page, url, path, token);
  await page.getByText(shows).first().waitFor();
  await page.waitForTimeout(SETTLE_MS);
  writeFileSync(join(FOLDER, `${name}-${size}-${theme}.webp`), await picture(page));
  await page.context().close();
}

async function signInAsOperator(page: Page, url: string): Promise<void> {
  const [name, password] = ADMIN;
  const headers = { Origin: url };
  await page.request.post(`${url}/v2/session`, { data: { name, password }, headers });
}

/** As WebP, a third of the size of a PNG. */
async function picture(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const options = { format: "webp", quality: QUALITY } as const;
  const { data } = await session.send("Page.captureScreenshot", options);
  return Buffer.from(data, "base64");
}
