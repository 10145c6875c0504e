/** Every screen of the dashboard, as the account shows it in which something of everything has happened. */
import type { Page } from "playwright-core";
import { signIn, visit } from "./browser.ts";
import type { BusyAccount } from "./busy-account.ts";
import { ADMIN } from "./console-call.ts";

export interface Screen {
  readonly name: string;
  readonly path: string;
  /** A text that is there when the screen is complete. */
  readonly shows: string;
  readonly as?: "operator" | "none";
}

/** Where it is shown. */
interface Shown {
  readonly url: string;
  readonly token: string;
}

export function busyScreens({ messageId, runId, accountId }: BusyAccount): Screen[] {
  return [
    { name: "overview", path: "/", shows: "Busiest destinations" },
    { name: "messages", path: "/messages", shows: "/v1/parcels/10460/track" },
    { name: "message", path: `/messages/${messageId}`, shows: "of 6 attempts" },
    { name: "runs", path: "/runs", shows: "book ledger: 500 after 3 attempts" },
    { name: "run", path: `/runs/${runId}`, shows: "7 of 8 steps" },
    { name: "dead-letters", path: "/dead", shows: "503" },
    { name: "schedules", path: "/schedules", shows: "At 09:00 on weekdays, Berlin" },
    { name: "schedule", path: "/schedules/daily-report", shows: "Your time, UTC" },
    { name: "queues-and-keys", path: "/flow", shows: "stripe-api" },
    { name: "url-groups", path: "/groups", shows: "order-events" },
    { name: "url-group", path: "/groups/order-events", shows: "warehouse" },
    { name: "settings", path: "/settings", shows: "Usage against limits" },
    { name: "accounts", path: "/accounts", shows: "ann@acme.example", as: "operator" },
    { name: "account", path: `/accounts/${accountId}`, shows: "ann@acme.example", as: "operator" },
    { name: "reference", path: "/docs#publishMessage", shows: "Publishes a message" },
  ];
}

/** Shows it to who it is for, until every panel has its data. */
export async function showScreen(page: Page, { url, token }: Shown, screen: Screen): Promise<void> {
  const { path, shows, as } = screen;
  if (as === "operator") await signInAsOperator(page, url);
  else if (as === undefined) await signIn(page, url, token);
  if (as === "none") await page.goto(`${url}${path}`);
  else await visit(page, url, path, token);
  await page.getByText(shows).first().waitFor();
  await page.waitForTimeout(SETTLE_MS);
}

async function signInAsOperator(page: Page, url: string): Promise<void> {
  const [name, password] = ADMIN;
  const headers = { Origin: url };
  await page.request.post(`${url}/v2/session`, { data: { name, password }, headers });
}

const SETTLE_MS = 1_500;
