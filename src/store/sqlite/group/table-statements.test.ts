import assert from "node:assert/strict";
import { test } from "node:test";
import type { Table } from "../../records/table.ts";
import type { Database } from "../thread/connection.ts";
import { addTo } from "./table-statements.ts";

interface Item {
  readonly id: string;
  readonly body: Uint8Array;
}

const TABLE: Table<Item, Item> = {
  name: "things",
  key: [["id", "text", ({ id }) => id]],
  columns: [["body", "bytea", ({ body }) => body]],
};

test("bytes that are empty have memory, without which the SQLite of Node 22 stores NULL", () => {
  const stored: unknown[] = [];
  const database = {
    prepare: () => ({ run: (...values: unknown[]) => stored.push(values[1]) }),
  } as unknown as Database;
  addTo(database, TABLE)([{ id: "one", body: new Uint8Array(new ArrayBuffer(0)) }]);
  const [body] = stored as [Uint8Array];
  assert.equal(body.byteLength, 0);
  assert.ok(body.buffer.byteLength > 0);
});
