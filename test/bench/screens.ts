import type { Browser, CDPSession } from "playwright-core";

import { launchBrowser, openPage } from "../support/browser.ts";
import { BusyAccount } from "../support/busy-account.ts";
import { busyScreens, type Screen, showScreen } from "../support/busy-screens.ts";
import type { Findings } from "./findings.ts";

/** What a browser has received for one request. */
interface Loaded {
  readonly path: string;
  /** With the head of the answer. */
  receivedBytes: number;
  /** Of the body, once it is inflated. */
  bodyBytes: number;
}

/** How much each screen of the dashboard loads: the page itself once, and then the data of each. */
export async function measureScreens(findings: Findings): Promise<void> {
  const account = await BusyAccount.start();
  const browser = await launchBrowser();
  try {
    const screens = busyScreens(account);
    const page = new Set<string>();
    for (const screen of screens) {
      const loaded = await load(browser, account, screen);
      if (page.size === 0) {
        const files = loaded.filter(({ path }) => path === "/" || path.startsWith("/assets/"));
        for (const { path } of files) page.add(path);
        add(findings, "the page itself, first load", files);
      }
      // The path of the document is another for each screen.
      const data = loaded.slice(1).filter(({ path }) => !page.has(path));
      add(findings, screen.name, data);
    }
  } finally {
    await browser.close();
    await account.close();
  }
}

async function load(browser: Browser, account: BusyAccount, screen: Screen): Promise<Loaded[]> {
  const { page } = await openPage(browser, account.service.url);
  const loaded = await watchLoads(await page.context().newCDPSession(page));
  await showScreen(page, account.service, screen);
  await page.context().close();
  return loaded;
}

/** The requests in the order in which they began, without the stream, which does not end. */
async function watchLoads(session: CDPSession): Promise<Loaded[]> {
  const loads = new Map<string, Loaded>();
  const list: Loaded[] = [];
  session.on("Network.requestWillBeSent", ({ requestId, request }) => {
    const { protocol, pathname } = new URL(request.url);
    if (!protocol.startsWith("http") || pathname === "/v2/stream") return;
    const begun = { path: pathname, receivedBytes: 0, bodyBytes: 0 };
    loads.set(requestId, begun);
    list.push(begun);
  });
  session.on("Network.dataReceived", ({ requestId, dataLength }) => {
    const known = loads.get(requestId);
    if (known !== undefined) known.bodyBytes += dataLength;
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const known = loads.get(requestId);
    if (known !== undefined) known.receivedBytes = encodedDataLength;
  });
  await session.send("Network.enable");
  return list;
}

function add(findings: Findings, name: string, loads: readonly Loaded[]): void {
  const received = loads.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0);
  const inflated = loads.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0);
  const cells = [name, String(loads.length), kilobytes(received), kilobytes(inflated)];
  console.log(cells.join("  "));
  findings.add("screens", { cells });
}

function kilobytes(bytes: number): string {
  return (bytes / 1_000).toFixed(1);
}
