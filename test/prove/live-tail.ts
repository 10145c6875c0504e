/** The tail of the messages screen in a real browser, which is left open while messages come. */
import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import type { Browser, CDPSession } from "playwright-core";
import { launchBrowser, openPage, visit } from "../support/browser.ts";
import { TestService } from "../support/service-harness.ts";
import { RecordingSink } from "./sink.ts";

const MESSAGES_A_SECOND = 100;
const MINUTE_MS = 60_000;
const CORE_SHARE_MAX = 0.1;
const HEAP_GROWTH_MAX = 1.25;

/** What one minute of the tail took. */
interface Minute {
  /** Of one core, by the process that draws the page. */
  readonly coreShare: number;
  /** Of the page's scripts, once what is unused was collected. */
  readonly heapMegabytes: number;
}

export async function watchTail(minutes: number): Promise<Minute[]> {
  const service = await TestService.start();
  const sink = await RecordingSink.start();
  const browser = await launchBrowser();
  const load = new AbortController();
  try {
    const { page, complaints } = await openPage(browser, service.url);
    await visit(page, service.url, "/messages", service.token);
    const sending = publishSteadily(service, `${sink.url}/ok`, load.signal);
    const session = await page.context().newCDPSession(page);
    const watched = await watchMinutes(browser, session, minutes);
    load.abort();
    await sending;
    assert.deepEqual(complaints, []);
    return watched;
  } finally {
    load.abort();
    await browser.close();
    await service.stop();
    await sink.stop();
  }
}

/** The first minute fills the list; from then on neither time nor memory may grow. */
export function requireCalm(minutes: readonly Minute[]): void {
  const [, ...later] = minutes;
  const text = minutes.map(shownMinute).join("; ");
  const share = later.reduce((sum, { coreShare }) => sum + coreShare, 0) / later.length;
  assert.ok(share <= CORE_SHARE_MAX, `the tail took more than a tenth of a core: ${text}`);
  const [first, last] = [later[0]!.heapMegabytes, later.at(-1)!.heapMegabytes];
  assert.ok(last <= HEAP_GROWTH_MAX * first, `the page's memory grew: ${text}`);
}

export function shownMinute({ coreShare, heapMegabytes }: Minute): string {
  return `${(100 * coreShare).toFixed(1)} %, ${heapMegabytes.toFixed(1)} MB`;
}

async function watchMinutes(
  browser: Browser,
  page: CDPSession,
  minutes: number,
): Promise<Minute[]> {
  const ofBrowser = await browser.newBrowserCDPSession();
  await page.send("HeapProfiler.enable");
  const watched: Minute[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    const [startedAt, before] = [performance.now(), await rendererSeconds(ofBrowser)];
    await wait(MINUTE_MS);
    const seconds = (await rendererSeconds(ofBrowser)) - before;
    const coreShare = seconds / ((performance.now() - startedAt) / 1000);
    await page.send("HeapProfiler.collectGarbage");
    const { usedSize } = await page.send("Runtime.getHeapUsage");
    watched.push({ coreShare, heapMegabytes: usedSize / 1e6 });
    console.log(`  minute ${minute + 1}: ${shownMinute(watched.at(-1)!)}`);
  }
  return watched;
}

/** Processor time of the processes that draw pages; the one tab is all there is. */
async function rendererSeconds(browser: CDPSession): Promise<number> {
  const { processInfo } = await browser.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter(({ type }) => type === "renderer");
  assert.ok(renderers.length > 0);
  return renderers.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

/** Ten batches a second, each on its own time: a slow answer does not lower the rate. */
async function publishSteadily(
  service: TestService,
  destination: string,
  signal: AbortSignal,
): Promise<void> {
  const items = Array.from({ length: MESSAGES_A_SECOND / 10 }, () => ({ destination, body: "b" }));
  const startedAt = performance.now();
  const sent: Promise<unknown>[] = [];
  for (let batch = 1; !signal.aborted; batch++) {
    sent.push(service.batch(items));
    await wait(Math.max(0, startedAt + batch * 100 - performance.now()));
  }
  await Promise.all(sent);
}
