/** The overview shows what the log says, on both nodes of a service of which one was restarted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { browserMissing, launchBrowser, openPage, signIn, visit } from "../support/browser.ts";
import { type Counted, countedStates } from "../support/counted-states.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";
import { eventually, type Item, TestService } from "../support/service-harness.ts";

const skip = browserMissing === false ? postgresMissing() : browserMissing;

test("counts of two nodes, after a restart", { skip }, async (t) => {
  const database = await freshDatabase();
  t.after(() => database.drop());
  const destination = await DestinationServer.start(({ url }) => ({
    status: url === "/bad" ? 500 : 200,
  }));
  t.after(() => destination.close());
  const flags = { databaseUrl: database.url, secretKey: "ab".repeat(32) };
  const first = await TestService.start({ flags });
  t.after(() => first.stop());
  const stopped = await TestService.start({ flags });
  await Promise.all([sendSome(first, destination), sendSome(stopped, destination)]);
  await stopped.stop();
  const second = await TestService.start({ flags });
  t.after(() => second.stop());
  await sendSome(second, destination);

  const logged = await countedByLog(first);
  assert.deepEqual(logged, {
    published: 15,
    attempts: 12,
    failedAttempts: 6,
    delivered: 6,
    deadLettered: 3,
    canceled: 0,
  });
  // Each node writes what it has counted when it is asked.
  await eventually(async () => {
    const counts = [await countedAttempts(first), await countedAttempts(second)];
    return counts.every((count) => count === logged.attempts) ? true : null;
  }, "both nodes have written their counts");
  const browser = await launchBrowser();
  t.after(() => browser.close());
  for (const node of [first, second]) {
    const { page } = await openPage(browser, node.url);
    await signIn(page, node.url, node.token);
    await visit(page, node.url, "/", node.token);
    const { attempts, failedAttempts, published, deadLettered } = logged;
    const waiting = published - logged.delivered - deadLettered - logged.canceled;
    for (const sentence of [
      `Attempts in the last hour: ${attempts}, of which ${failedAttempts} failed`,
      `now ${waiting}, of which 0 are due`,
    ]) {
      await page.getByRole("img", { name: sentence }).waitFor();
    }
    await page.getByText(new RegExp(`^${published} in the last hour`)).waitFor();
    await page.getByText(`${waiting} messages`, { exact: true }).waitFor();
    await page.getByRole("link", { name: `Dead letters ${deadLettered}` }).waitFor();
  }
});

/** Two are delivered, one is tried twice and fails, two wait for their time. */
async function sendSome(service: TestService, { url }: DestinationServer): Promise<void> {
  const sent = await Promise.all([service.publish(`${url}/ok`), service.publish(`${url}/ok`)]);
  const dead = await service.publish(`${url}/bad`, { "Svc-Retries": "1", "Svc-Retry-Delay": "1" });
  await service.publish(`${url}/ok`, { "Svc-Delay": "1h" });
  await service.publish(`${url}/ok`, { "Svc-Delay": "2h" });
  for (const id of sent) await service.logUntil(id, "DELIVERED");
  await service.logUntil(dead, "FAILED");
}

async function countedAttempts(service: TestService): Promise<number> {
  const { json } = await service.call("GET", "/v2/stats");
  return (json["points"] as Counted[]).reduce((sum, { attempts }) => sum + attempts, 0);
}

async function countedByLog(service: TestService): Promise<Counted> {
  const { json } = await service.call("GET", "/v2/logs?count=1000");
  const states = (json["logs"] as Item[]).map(({ state }) => state);
  return countedStates((state) => states.filter((each) => each === state).length);
}
