/** Two accounts that send to one host, of which one meets only silence there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountCalls } from "../support/account-calls.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { OTHER_TOKEN, TestService } from "../support/service-harness.ts";

/** More than a host that was not heard of gets at once. */
const HANGING = 40;
const QUICK = 50;

test("calls that hang for one account do not hold up another's to the same host", async (t) => {
  const destination = await DestinationServer.startFor(t);
  const release = destination.hold(({ url }) => url.startsWith("/hanging"));
  t.after(release);
  const service = await TestService.startFor(t);
  const publishAll = (account: AccountCalls, path: string, count: number): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, () => account.publish(`${destination.url}${path}`)));
  await publishAll(new AccountCalls(service.url, OTHER_TOKEN), "/hanging", HANGING);
  await destination.received("/hanging", 32);
  await publishAll(service, "/quick", QUICK);
  await destination.received("/quick", QUICK);
  assert.ok(destination.to("/hanging").length < HANGING, "the other account waits for its own");
});
