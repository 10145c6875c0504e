/** Stopping a service whose database does not come back: it must end all the same. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { type CuttingProxy, startCuttingProxy } from "../contract/postgres/cutting-proxy.ts";
import { AccountCalls } from "../support/account-calls.ts";
import { Command } from "../support/command.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";

const TOKEN = "a-token-of-my-own";
/** Far more than it may take, and far less than a service takes that does not end. */
const PATIENCE_MS = 60_000;
const skip = postgresMissing();

interface Stage {
  readonly service: Command;
  readonly proxy: CuttingProxy;
  /** Lets the destination answer the message that is being sent to it. */
  readonly answer: () => void;
}

/** A service that has one message under way, and reaches its database over a way that can fail. */
async function underWay(context: TestContext): Promise<Stage> {
  const database = await freshDatabase();
  const proxy = await startCuttingProxy(database.url);
  const { promise: until, resolve: answer } = Promise.withResolvers<void>();
  const destination = await DestinationServer.start(() => ({ until }));
  const store = ["--database-url", proxy.url, "--secret-key", "a-secret-key-of-the-cluster"];
  const flags = [...store, "--egress-allow", "127.0.0.1", "--shutdown-grace", "1s"];
  const service = Command.serve(context, flags, { POSTRIDER_TOKEN: TOKEN });
  context.after(async () => {
    service.signal("SIGKILL");
    await service.ends();
    await destination.close();
    await proxy.close();
    await database.drop();
  });
  await new AccountCalls(await service.url(), TOKEN).publish(`${destination.url}/held`);
  await destination.received("/held");
  return { service, proxy, answer };
}

async function endOf(service: Command): Promise<unknown> {
  service.signal("SIGTERM");
  const patience = new AbortController();
  const tooLong = wait(PATIENCE_MS, "still there", patience);
  tooLong.catch(() => undefined);
  const end = await Promise.race([service.ends(), tooLong]);
  patience.abort();
  return end;
}

test(
  "a stop ends though the database is gone and an answer cannot be recorded",
  { skip },
  async (t) => {
    const { service, proxy, answer } = await underWay(t);
    proxy.shut();
    answer();
    await service.says(/PostgreSQL does not answer/);
    assert.equal(await endOf(service), 0);
    assert.match(service.output, /delivery not settled/);
  },
);

test("a stop ends though the database hears everything and never answers", { skip }, async (t) => {
  const { service, proxy, answer } = await underWay(t);
  proxy.freeze();
  answer();
  assert.equal(await endOf(service), 0);
  assert.match(service.output, /delivery not settled|not every result could be recorded/);
});
