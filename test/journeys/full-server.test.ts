/** A PostgreSQL whose connections are all taken by other clients. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { Command } from "../support/command.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { until } from "../support/eventually.ts";
import { assertAway, inTime } from "../support/outages.ts";
import { postgresMissing } from "../support/postgres-url.ts";
import { TestService } from "../support/service-harness.ts";
import { type OtherClients, startSmallServer } from "../support/small-server.ts";

const skip = postgresMissing();
const CALLERS = 25;
const ROUNDS = 12;

interface Stage {
  readonly service: TestService;
  readonly others: OtherClients;
  readonly publishUrl: string;
}

async function stage(t: TestContext): Promise<Stage> {
  const { server, others } = await startSmallServer(t);
  const destination = await DestinationServer.startFor(t);
  const service = await TestService.startFor(t, { flags: { databaseUrl: server.url } });
  return { service, others, publishUrl: `/v2/publish/${destination.url}/` };
}

test("a server without a free connection is an outage that the log names", { skip }, async (t) => {
  const { service, others, publishUrl } = await stage(t);
  const { logged } = service;
  await others.takeEvery();
  await until(async () => (await service.status("GET", "/readyz")) === 503, "none is left");
  const taken = logged.length;
  for (let round = 0; round < ROUNDS; round++) {
    const calls = Array.from({ length: CALLERS }, () => service.call("POST", publishUrl));
    await Promise.all(calls.map(assertAway));
    await assertAway(service.call("GET", "/readyz"));
  }
  const named = logged.filter((line) => line.startsWith("PostgreSQL opens no more connections"));
  assert.equal(named.length, 1, logged.join("\n"));
  assert.match(named[0]!, /too many clients/);
  // The others took our connections by ending them, which the log may name before, and until the last
  // was taken one may have come back.
  const expected =
    /^(attempt|the store may lose|lost connections|PostgreSQL does not answer "terminating connection)/;
  const isBack = (line: string, index: number): boolean =>
    index < taken && line.startsWith("PostgreSQL is back");
  const told = logged.filter((line, index) => !expected.test(line) && !isBack(line, index));
  assert.deepEqual(told, named);
  await others.leave();
  await until(async () => (await inTime(service.call("POST", publishUrl))).status === 200, "back");
  assert.equal(await service.status("GET", "/readyz"), 200);
});

test("the start says that no connection is left", { skip }, async (t) => {
  const { server, others } = await startSmallServer(t);
  await others.takeFree();
  const command = Command.serve(t, [], {
    POSTRIDER_DATABASE_URL: server.url,
    POSTRIDER_SECRET_KEY: "0123456789abcdef0123456789abcdef0123456789ab",
  });
  assert.equal(await command.refuses(), 1);
  assert.match(command.errors, /^postrider: [^\n]* it has no connection left\. Raise [^\n]+\n$/);
});
