import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreUnavailable } from "../../store-unavailable.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { toProblem } from "./errors.ts";

test("a connection that cannot be opened is an outage, whatever the reason", async () => {
  const url = "postgres://me@127.0.0.1/mine?sslmode=verify-full&sslrootcert=/nowhere/ca.pem";
  const pool = new ConnectionPool({ url, connectionsMax: 1, replyTimeoutMs: 1_000 });
  await assert.rejects(pool.connect(), (error) => {
    assert.match(String(error), /nowhere/);
    return toProblem(error) instanceof StoreUnavailable;
  });
  await pool.close();
});
