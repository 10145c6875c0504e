/**
 * `npm run screenshots`: pictures of every screen of the dashboard, of a service in which something has happened, into
 * docs/guides/images. Light and dark, wide and narrow. Names as arguments take only those screens.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openPage } from "../support/browser.ts";
import { BusyAccount } from "../support/busy-account.ts";
import { busyScreens, type Screen, showScreen } from "../support/busy-screens.ts";
import { TestService } from "../support/service-harness.ts";

const FOLDER = fileURLToPath(new URL("../../docs/guides/images", import.meta.url));
const SIZES = [
  { name: "wide", width: 1440, height: 900 },
  { name: "narrow", width: 390, height: 844 },
] as const;
const THEMES = ["light", "dark"] as const;
const QUALITY = 72;

interface Shot extends Screen {
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
    ...busyScreens(busy),
    { name: "sign-in", path: "/messages", shows: "Sign in", as: "none", of: empty },
    { name: "first-message", path: "/messages", shows: "Send your first message", of: empty },
  ];
}

async function take(
  from: Browser,
  shot: Shot,
  theme: (typeof THEMES)[number],
  { name: size, width, height }: (typeof SIZES)[number],
): Promise<void> {
  const { of: service = busy.service } = shot;
  const { page } = await openPage(from, service.url, { width, theme });
  await page.setViewportSize({ width, height });
  await showScreen(page, service, shot);
  writeFileSync(join(FOLDER, `${shot.name}-${size}-${theme}.webp`), await picture(page));
  await page.context().close();
}

/** As WebP, a third of the size of a PNG. */
async function picture(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const options = { format: "webp", quality: QUALITY } as const;
  const { data } = await session.send("Page.captureScreenshot", options);
  return Buffer.from(data, "base64");
}
