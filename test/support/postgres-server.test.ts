import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { Client } from "pg";
import { freshDatabase, postgresMissing } from "./postgres-url.ts";

const skip = postgresMissing();

test("a fresh database is empty, and is dropped even while in use", { skip }, async () => {
  const database = await freshDatabase();
  const { client, ended } = await connect(database.url);
  const tables = await client.query(
    "SELECT 1 FROM information_schema.tables WHERE table_schema = 'public'",
  );
  assert.equal(tables.rowCount, 0);
  await database.drop();
  await ended;
});

test("a server ends with the process that started it, even a killed one", { skip }, async () => {
  const owner = spawn(process.execPath, ["--input-type=module-typescript", "--eval", OWNER], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = (await once(owner.stdout, "data")) as [Buffer];
  const { ended } = await connect(url.toString().trim());
  owner.kill("SIGKILL");
  await ended;
});

async function connect(url: string): Promise<{ client: Client; ended: Promise<void> }> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  const ended = new Promise<void>((resolve) => {
    client.once("end", resolve);
  });
  await client.connect();
  return { client, ended };
}

const OWNER = `
  import { startPostgres } from "./postgres-server.ts";
  const server = await startPostgres();
  console.log(server.url);
  setInterval(() => undefined, 1000);
`;
