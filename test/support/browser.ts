/** The dashboard in a real browser: what it asks for, what it complains of, and whether it is sound. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { findChromium } from "./chromium.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const found = findChromium();

/** Why there is no browser, for `test(name, { skip: browserMissing }, ...)`; false if there is one. */
export const browserMissing: string | false = typeof found === "string" ? found : false;

const THEMES = ["light", "dark"] as const;
export const WIDTHS = { wide: 1440, medium: 1024, narrow: 390 } as const;

export interface PageOptions {
  readonly width?: number;
  readonly theme?: "light" | "dark";
}

/** A page, and what was wrong with what it did. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors in the console, and of scripts. */
  readonly complaints: string[];
  /** Requests to another host. */
  readonly foreign: string[];
}

export async function launchBrowser(): Promise<Browser> {
  assert.ok(typeof found !== "string");
  const built = spawnSync(process.execPath, [join(ROOT, "dashboard/build.mjs")], {
    encoding: "utf8",
  });
  assert.equal(built.status, 0, built.stderr);
  const env = { ...process.env, ...found.environment } as Record<string, string>;
  return chromium.launch({ executablePath: found.path, args: FLAGS, env });
}

export async function openPage(
  browser: Browser,
  origin: string,
  { width = WIDTHS.wide, theme = "light" }: PageOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    bypassCSP: false,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  const foreign: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !isExpected(message.text(), message.location().url)) {
      complaints.push(`${message.text()} ${message.location().url}`);
    }
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) foreign.push(url);
  });
  return { page, complaints, foreign };
}

/** Opens a path of the dashboard, signed in. A server that signs in by itself shows no form. */
export async function visit(
  page: Page,
  origin: string,
  path: string,
  token: string,
): Promise<void> {
  await page.goto(`${origin}${path}`);
  const heading = page.locator("h1").first();
  await heading.waitFor();
  if ((await heading.textContent()) !== "Sign in") return;
  await enterToken(page, token);
  await page.locator("main.page h1").waitFor();
}

/** Signs in with another token than a server takes by itself. */
export async function signIn(page: Page, origin: string, token: string): Promise<void> {
  const headers = { Origin: origin };
  const answer = await page.request.post(`${origin}/v2/session`, { data: { token }, headers });
  assert.equal(answer.status(), 200);
}

/** Nothing wider than the window or cut, no rule of accessibility broken in either theme, no complaint, no foreign request. */
export async function requireSound({ page, complaints, foreign }: WatchedPage): Promise<void> {
  const tooWide = await page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
  assert.ok((tooWide as number) <= 0, `${page.url()} is ${tooWide as number} px too wide`);
  assert.deepEqual(await page.evaluate(CUT_CONTROLS), []);
  assert.deepEqual(await brokenRules(page), []);
  assert.deepEqual(complaints, []);
  assert.deepEqual(foreign, []);
}

/** Buttons, chips and headings of which a part lies outside of what surrounds them, and cannot be scrolled to. */
const CUT_CONTROLS = `[...document.querySelectorAll("main .btn, main .chip, main h2")]
  .filter((control) => {
    const { left, right, width } = control.getBoundingClientRect();
    for (let box = control.parentElement; width > 0 && box !== null; box = box.parentElement) {
      const { overflowX } = getComputedStyle(box);
      if (overflowX === "auto" || overflowX === "scroll") return false;
      const around = box.getBoundingClientRect();
      if (overflowX !== "visible" && (left < around.left - 1 || right > around.right + 1)) return true;
    }
    return false;
  })
  .map((control) => control.outerHTML.slice(0, 160))`;

/** The script is evaluated by the debugger, which the page's policy does not concern. */
async function brokenRules(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(AXE, "utf8"));
  const inOwnTheme = await axe(page, "{}");
  const isDark = await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches");
  const [own, other] = isDark === true ? THEMES.toReversed() : THEMES;
  // Without motion, or colors would be on their way from one theme to the other.
  await page.emulateMedia({ colorScheme: other, reducedMotion: "reduce" });
  // Colors are all that a theme changes.
  const inOtherTheme = await axe(page, '{ runOnly: ["color-contrast"] }');
  await page.emulateMedia({ colorScheme: own, reducedMotion: null });
  return [...inOwnTheme, ...inOtherTheme.map((broken) => `${other}: ${broken}`)];
}

/** What lies below an open dialog is looked at without it. */
async function axe(page: Page, options: string): Promise<string[]> {
  const { violations } = (await page.evaluate(
    `axe.run(document.querySelector("dialog[open]") ?? document, ${options})`,
  )) as { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  );
}

/** The browser reports answers that the dashboard expects: it asks whether it is signed in, and what the server has. */
function isExpected(text: string, url: string): boolean {
  if (!/Failed to load resource/.test(text)) return false;
  if (/\b401\b/.test(text)) return url.includes("/v2/session");
  return /\b404\b/.test(text) && ASKED.test(url);
}

const ASKED =
  /\/v2\/(session|waiting|stream|messages\/[^/]+(\/callbacks)?$|(schedules|topics|svc\/user)\/none$)|\/echo\/ready/;
const PATIENCE_MS = 20_000;
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Fills in the form that is on the page. */
export async function enterToken(page: Page, token: string): Promise<void> {
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Fills in the form of the page, which is opened first unless it is there. */
export async function signInByName(
  page: Page,
  origin: string | null,
  [name, password]: readonly [string, string],
): Promise<void> {
  if (origin !== null) await page.goto(origin);
  await page.getByRole("button", { name: "Sign in as operator" }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}
