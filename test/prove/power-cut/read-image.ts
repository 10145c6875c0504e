import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Image } from "./disk.ts";

/** Puts the files of an image below a folder, in target of what was there. */
export function writeImage(image: Image, root: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [path, content] of image) {
    const target = folder + path.slice(root.length);
    if (content === null) mkdirSync(target, { recursive: true });
    else writeFileSync(target, content);
  }
}

/**
 * The messages that a data folder holds whole: as they were published, and waiting or at their end. Demands a sound
 * database, and a whole key wherever there is one.
 */
export function readMessages(data: string): Set<string> {
  const path = join(data, "postrider.db");
  if (!existsSync(path) || statSync(path).size === 0) return new Set();
  assert.match(readFileSync(join(data, "secret.key"), "utf8"), /^\w{44}\n$/);
  const database = new DatabaseSync(path);
  try {
    // Of this copy nothing needs to last.
    database.exec("PRAGMA synchronous = OFF");
    assert.deepEqual(
      database
        .prepare("PRAGMA quick_check")
        .all()
        .map((row) => row["quick_check"]),
      ["ok"],
    );
    // Nothing can have been published while the schema was not whole.
    const tables = database.prepare("SELECT name FROM sqlite_schema").all();
    if (!tables.some(({ name }) => name === "runs")) return new Set();
    return new Set(
      database
        .prepare(WHOLE)
        .all()
        .map(({ message_id }) => String(message_id)),
    );
  } finally {
    database.close();
  }
}

const WHOLE = `SELECT message_id FROM facts f WHERE
  EXISTS (SELECT 1 FROM messages m WHERE m.message_id = f.message_id) OR
  EXISTS (SELECT 1 FROM log_entries e WHERE e.message_id = f.message_id AND 'DELIVERED' IN (e.state, e.next_state))`;

/** Whether everything in the database has been delivered. */
export function isDelivered(data: string, messageIds: Iterable<string>): boolean {
  const database = new DatabaseSync(join(data, "postrider.db"), { readOnly: true });
  try {
    const delivered = database.prepare(
      "SELECT message_id FROM log_entries WHERE 'DELIVERED' IN (state, next_state)",
    );
    const found = new Set(delivered.all().map(({ message_id }) => message_id));
    return [...messageIds].every((messageId) => found.has(messageId));
  } finally {
    database.close();
  }
}
