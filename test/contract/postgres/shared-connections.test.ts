import assert from "node:assert/strict";
import { test } from "node:test";

import { Connections } from "../../../src/store/postgres/driver/connection.ts";
import type { Session } from "../../../src/store/postgres/driver/conversation.ts";
import { postgresMissing } from "../../support/postgres-url.ts";
import { startSmallServer } from "../../support/small-server.ts";

test(
  "when the server opens no more connections, transactions share those that are open",
  { skip: postgresMissing() },
  async (t) => {
    const { server, others } = await startSmallServer(t);
    const connections = new Connections({ url: server.url, connectionsMax: 4 });
    t.after(() => connections.close());
    const first = await connections.transaction(processId);
    await others.takeFree();
    const both = [
      ...Array.from({ length: 10 }, () => connections.transaction(processId)),
      ...Array.from({ length: 10 }, () => connections.read(processId)),
    ];
    assert.deepEqual(new Set(await Promise.all(both)), new Set([first]));
  },
);

async function processId(session: Session): Promise<unknown> {
  const [row] = await session.query("SELECT pg_backend_pid() AS id", []);
  return row!["id"];
}
