/** How much disk a message takes on each store, while it waits and after it has ended. */
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { DestinationServer } from "../support/destination-server.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { type StoreKind, TestService } from "../support/service-harness.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "20000" },
    bytes: { type: "string", default: "256" },
  },
});
const count = Number(values.count);
const body = "x".repeat(Number(values.bytes));
const BATCH = 500;
const SIZE_SQL: Readonly<Record<StoreKind, string>> = {
  sqlite: "SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size",
  postgres: "SELECT pg_database_size(current_database()) AS n",
};

const server = await startPostgres();
process.env["TEST_POSTGRES_URL"] = server.url;
for (const store of ["sqlite", "postgres"] as const) await measure(store);
await server.stop();

async function measure(store: StoreKind): Promise<void> {
  const destination = await DestinationServer.start();
  const service = await TestService.start({ store });
  const sizes = [await sizeOf(service, store)];
  await publish(service, `${destination.url}/`, { "Svc-Delay": "1d" });
  sizes.push(await sizeOf(service, store));
  await publish(service, `${destination.url}/`, {});
  while (Number((await service.select("SELECT count(*) AS n FROM messages"))[0]?.["n"]) > count) {
    await wait(100);
  }
  sizes.push(await sizeOf(service, store));
  const [waiting, ended] = [1, 2].map((at) => Math.round((sizes[at]! - sizes[at - 1]!) / count));
  console.log(
    `${store}: ${count} messages with bodies of ${body.length} bytes: ${waiting} bytes each while waiting, ${ended} after delivery`,
  );
  await service.stop();
  await destination.close();
}

async function publish(service: TestService, url: string, headers: object): Promise<void> {
  const batch = JSON.stringify(
    Array.from({ length: BATCH }, () => ({ destination: url, headers, body })),
  );
  for (let sent = 0; sent < count; sent += BATCH) {
    const { status, text } = await service.call("POST", "/v2/batch", { body: batch });
    if (status !== 200) throw new Error(text);
  }
}

/** What lies in a write-ahead log is not counted: it does not grow with the messages. */
async function sizeOf(service: TestService, store: StoreKind): Promise<number> {
  const [row] = await service.select(SIZE_SQL[store]);
  return Number(row?.["n"]);
}
