/** What ends while a service stops is counted: attempts that finish, and publishes whose body was arriving. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { DestinationServer } from "../support/destination-server.ts";
import { until } from "../support/eventually.ts";
import { postgresMissing } from "../support/postgres-url.ts";
import { TestService } from "../support/service-harness.ts";

const COUNTS = "SELECT sum(published) AS published, sum(attempts) AS attempts FROM stats";
const LOOKS = 100;
/** Of all hosts together, in minutes. */
const IN_ALL = "WHERE step_ms = 60000 AND host = ''";

for (const store of ["sqlite", "postgres"] as const) {
  const skip = store === "postgres" ? postgresMissing() : false;
  describe(`the counts of a stop (${store})`, { skip }, () => {
    test("attempts and publishes that end during it are in the numbers", async (t) => {
      const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
      const destination = await DestinationServer.start(() => ({ until: answered }));
      t.after(() => destination.close());
      const service = await TestService.startFor(t, { store, flags: { drain: "0s" } });
      await service.publish(`${destination.url}/held`);
      await destination.received("/held");
      const upload = await beginUpload(service, `${destination.url}/late`);
      const stopped = service.end(10_000);
      await until(() => isStopping(service), "the service is stopping");
      answer();
      await until(() => service.logged.includes("attempt 200 "), "the attempt has ended");
      // Time in which the counts would be written, if that did not wait for the publish.
      for (let look = 0; look < LOOKS && (await attemptsIn(service)) === 0; look++);
      upload.write("x");
      assert.match(await text(upload), /^HTTP\/1\.1 200 /);
      await stopped;
      const [counts] = await service.select(`${COUNTS} ${IN_ALL}`);
      assert.deepEqual([counts?.["published"], counts?.["attempts"]].map(Number), [2, 1]);
    });
  });
}

async function attemptsIn(service: TestService): Promise<number> {
  const [counts] = await service.select(`${COUNTS} ${IN_ALL}`);
  return Number(counts?.["attempts"] ?? 0);
}

/** A publish whose head is read and whose body is one byte short. */
async function beginUpload({ url, token }: TestService, destination: string) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(
    `POST /v2/publish/${destination} HTTP/1.1\r\nHost: localhost\r\nSvc-Delay: 1h\r\n` +
      `Authorization: Bearer ${token}\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
  );
  const [goOn] = (await once(socket, "data")) as [Buffer];
  assert.match(String(goOn), /^HTTP\/1\.1 100 Continue/);
  socket.write("x");
  return socket;
}

/** It listens no more. */
async function isStopping({ url }: TestService): Promise<boolean> {
  try {
    await fetch(`${url}/healthz`);
    return false;
  } catch {
    return true;
  }
}
