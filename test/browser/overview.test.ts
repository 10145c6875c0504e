/** The overview shows what the log says, on both nodes of a service of which one was restarted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../support/account-calls.ts";
import { browserJourneys } from "../support/browser-journeys.ts";
import { type Counted, countedStates } from "../support/counted-states.ts";
import type { DestinationServer } from "../support/destination-server.ts";
import { eventually } from "../support/eventually.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";
import type { TestService } from "../support/service-harness.ts";

browserJourneys("the overview in the dashboard", {}, (journey) => {
  // One database for both nodes, whatever the store of the other tests is.
  test("counts of two nodes, after a restart", { skip: postgresMissing() }, async (t) => {
    const { destination } = journey;
    destination.respond = ({ url }) => ({ status: url === "/bad" ? 500 : 200 });
    const database = await freshDatabase();
    const options = { flags: { databaseUrl: database.url } };
    const first = await journey.start(t, options);
    const stops: (() => Promise<void>)[] = [];
    const stopped = await journey.start({ after: (stop) => stops.push(stop) }, options);
    await Promise.all([sendSome(first, destination), sendSome(stopped, destination)]);
    for (const stop of stops) await stop();
    const second = await journey.start(t, options);
    t.after(() => database.drop());
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
    for (const node of [first, second]) {
      const { page } = await journey.open(t, "/", { service: node });
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
