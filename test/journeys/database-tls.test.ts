/** TLS to PostgreSQL: the certificate is checked unless the URL says otherwise, also after the start. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { Command } from "../support/command.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { until } from "../support/eventually.ts";
import { call } from "../support/http-call.ts";
import { assertAway } from "../support/outages.ts";
import type { Identity } from "../support/postgres-identity.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { postgresMissing, withClient } from "../support/postgres-url.ts";
import { TestService } from "../support/service-harness.ts";

const skip = postgresMissing();
const SECRET_KEY = "0123456789abcdef0123456789abcdef0123456789ab";

test("the certificate is checked with every sslmode that demands TLS", { skip }, async (t) => {
  const server = await startWithTls(t);
  const own = { sslrootcert: file("database") };
  for (const sslmode of ["require", "verify-full"]) {
    const unknown = urlOf(server, { sslmode });
    await refuses(t, unknown, /no authority that is known here .* sslrootcert=.*no-verify/);
    await starts(t, urlOf(server, { sslmode, ...own }));
  }
  await starts(t, urlOf(server, { sslmode: "no-verify" }));
  server.setIdentity(identity("server"));
  await reload(server);
  const foreign = { sslmode: "verify-full", sslrootcert: file("authority") };
  await refuses(t, urlOf(server, foreign), /its certificate is for another host name/);
});

test("a server that takes only TLS says so to a URL without it", { skip }, async (t) => {
  const server = await startWithTls(t);
  const trusted = { sslmode: "verify-full", sslrootcert: file("database") };
  await withClient(server.url, (client) =>
    client.query("COPY (SELECT 'hostssl all all all trust') TO PROGRAM 'cat > pg_hba.conf'"),
  );
  await reload(server);
  await refuses(t, urlOf(server, {}), /a connection without TLS\..* sslmode=verify-full demands/);
  await starts(t, urlOf(server, trusted));
});

test("a certificate that is no longer good is an outage, until it is", { skip }, async (t) => {
  const server = await startWithTls(t);
  const destination = await DestinationServer.startFor(t);
  const databaseUrl = urlOf(server, { sslmode: "verify-full", sslrootcert: file("database") });
  const service = await TestService.startFor(t, { flags: { databaseUrl } });
  const publish = () => service.call("POST", `/v2/publish/${destination.url}/tls`);
  assert.equal((await publish()).status, 200);

  server.setIdentity(identity("server"));
  await reload(server);
  await endConnections(server);
  for (let round = 0; round < ROUNDS; round++) await assertAway(publish());
  await assertAway(service.call("GET", "/readyz"));
  const told = service.logged.filter((line) => line.startsWith("PostgreSQL does not answer"));
  assert.equal(told.length, 1);
  assert.match(told[0]!, /certificate/);

  server.setIdentity(identity("database"));
  await reload(server);
  await until(async () => (await publish()).status === 200, "it is back");
  assert.equal(await service.status("GET", "/readyz"), 200);
});

async function startWithTls(t: TestContext): Promise<PostgresServer> {
  const server = await startPostgres({ identity: identity("database") });
  t.after(() => server.stop());
  return server;
}

function urlOf({ url }: PostgresServer, parameters: Readonly<Record<string, string>>): string {
  return `${url}?${new URLSearchParams(parameters).toString()}`;
}

/** New connections meet its files as they are now. */
async function reload({ url }: PostgresServer): Promise<void> {
  await withClient(url, (client) => client.query("SELECT pg_reload_conf()"));
}

async function endConnections({ url }: PostgresServer): Promise<void> {
  await withClient(url, (client) =>
    client.query(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'postrider'",
    ),
  );
}

function serve(t: TestContext, url: string): Command {
  const environment = { POSTRIDER_DATABASE_URL: url, POSTRIDER_SECRET_KEY: SECRET_KEY };
  return Command.serve(t, [], environment);
}

/** It takes messages, and nothing but its own lines is printed. */
async function starts(t: TestContext, url: string): Promise<void> {
  const command = serve(t, url);
  assert.equal((await call(await command.url(), "GET", "/readyz")).status, 200);
  await command.stop();
  assert.doesNotMatch(command.errors, /warning/i);
}

async function refuses(t: TestContext, url: string, sentence: RegExp): Promise<void> {
  const command = serve(t, url);
  assert.equal(await command.refuses(), 1);
  assert.match(command.errors, /^postrider: [^\n]+\n$/);
  assert.match(command.errors, sentence);
}

function identity(name: string): Identity {
  const [certificate, key] = [name, `${name}-key`].map((each) => readFileSync(file(each), "utf8"));
  return { certificate: certificate!, key: key! };
}

function file(name: string): string {
  return fileURLToPath(new URL(`../delivery/certificates/${name}.pem`, import.meta.url));
}

const ROUNDS = 10;
