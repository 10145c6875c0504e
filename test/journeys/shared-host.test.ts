/** Two accounts that send to one host, of which one meets only silence there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DestinationServer } from "../support/destination-server.ts";
import { OTHER_TOKEN, TestService } from "../support/service-harness.ts";

/** More than a host that was not heard of gets at once. */
const HANGING = 40;
const QUICK = 50;

test("calls that hang for one account do not hold up another's to the same host", async (t) => {
  const { promise: until, resolve: answer } = Promise.withResolvers<void>();
  const destination = await DestinationServer.start(({ url }) =>
    url.startsWith("/hanging") ? { until } : {},
  );
  const service = await TestService.start();
  t.after(async () => {
    answer();
    await service.stop();
    await destination.close();
  });
  const publishAll = (path: string, count: number, token: string): Promise<number[]> =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const url = `/v2/publish/${destination.url}${path}`;
        return (await service.call("POST", url, { token })).status;
      }),
    );
  await publishAll("/hanging", HANGING, OTHER_TOKEN);
  await destination.received("/hanging", 32);
  const statuses = await publishAll("/quick", QUICK, service.token);
  assert.deepEqual(new Set(statuses), new Set([200]));
  await destination.received("/quick", QUICK);
  assert.ok(destination.to("/hanging").length < HANGING, "the other account waits for its own");
});
