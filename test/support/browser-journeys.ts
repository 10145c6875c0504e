/** Journeys through the dashboard in a real browser, on SQLite, or on every store. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser } from "playwright-core";
import {
  browserMissing,
  launchBrowser,
  openPage,
  type PageOptions,
  signIn,
  visit,
  type WatchedPage,
  WIDTHS,
} from "./browser.ts";
import { DestinationServer } from "./destination-server.ts";
import { postgresMissing } from "./postgres-url.ts";
import { type HarnessOptions, type StoreKind, TestService } from "./service-harness.ts";

const SECRET_KEY = "ab".repeat(32);

/** What a page needs of a test: that it is closed with it. */
export interface Ending {
  readonly after: (end: () => Promise<void>) => void;
}

export interface OpenOptions extends PageOptions {
  /** Another token than that of the first account. */
  readonly token?: string;
  readonly service?: TestService;
}

export interface BrowserJourney {
  readonly store: StoreKind;
  browser: Browser;
  service: TestService;
  /** Answers 200 with `{}` until it is told otherwise. */
  destination: DestinationServer;
  /** Starts another service on the same kind of store; it ends with the test. */
  start: (t: Ending, options?: HarnessOptions) => Promise<TestService>;
  /** A page that is signed in and shows a path; without a path an empty page. */
  open: (t: Ending, path?: string, options?: OpenOptions) => Promise<WatchedPage>;
}

/** Defines tests once for each store; what they use is started around them. */
export function browserJourneys(
  title: string,
  options: HarnessOptions,
  define: (journey: BrowserJourney) => void,
): void {
  for (const store of storesHere()) {
    describe(`${title} (${store})`, { skip: browserMissing }, () => {
      const journey = { store, start, open } as BrowserJourney;
      async function start(t: Ending, other: HarnessOptions = {}): Promise<TestService> {
        const service = await startOn(store, other);
        t.after(() => service.stop());
        return service;
      }
      function open(t: Ending, path?: string, how: OpenOptions = {}): Promise<WatchedPage> {
        return openFor(journey, t, path, how);
      }
      before(async () => {
        journey.browser = await launchBrowser();
        journey.destination = await DestinationServer.start(() => ({ body: "{}" }));
        journey.service = await startOn(store, options);
      });
      after(async () => {
        await journey.browser?.close();
        await journey.service?.stop();
        await journey.destination?.close();
      });
      define(journey);
    });
  }
}

/** `serve` on PostgreSQL wants a key; SQLite takes it too. */
function startOn(store: StoreKind, { flags, ...options }: HarnessOptions): Promise<TestService> {
  return TestService.start({ ...options, store, flags: { secretKey: SECRET_KEY, ...flags } });
}

async function openFor(
  journey: BrowserJourney,
  t: Ending,
  path: string | undefined,
  { token, service = journey.service, ...page }: OpenOptions,
): Promise<WatchedPage> {
  const theme = page.width === WIDTHS.medium ? "dark" : "light";
  const watched = await openPage(journey.browser, service.url, { theme, ...page });
  t.after(() => watched.page.context().close());
  if (path === undefined) return watched;
  if (token !== undefined) await signIn(watched.page, service.url, token);
  await visit(watched.page, service.url, path, token ?? service.token);
  return watched;
}

/** SQLite, and with BROWSER_STORES=all PostgreSQL too. Then both, and a browser, must be there. */
function storesHere(): readonly StoreKind[] {
  if (process.env["BROWSER_STORES"] !== "all") return ["sqlite"];
  assert.deepEqual([browserMissing, postgresMissing()], [false, false]);
  return ["sqlite", "postgres"];
}
