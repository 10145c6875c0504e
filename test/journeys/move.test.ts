/** A service under load, moved from SQLite to PostgreSQL and back by the command that an operator runs. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { moveUnderLoad, requireMoved } from "../prove/move.ts";
import { Command } from "../support/command.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { freshDatabase, postgresMissing, withClient } from "../support/postgres-url.ts";
import { TestService } from "../support/service-harness.ts";

describe("moves of a service", () => {
  test("under load, killed three times each way", { skip: postgresMissing() }, async () => {
    const database = await freshDatabase();
    try {
      requireMoved(await moveUnderLoad(database.url, { messages: 2_000, ...LOAD }));
    } finally {
      await database.drop();
    }
  });

  test("what cannot be moved is refused in a sentence", async () => {
    const folder = mkdtempSync(join(tmpdir(), "postrider-move-"));
    const nowhere = "postgres://postrider@127.0.0.1:1/postrider";
    const cases: readonly [words: string[], says: RegExp][] = [
      [["--data", folder], /give --to URL, or --from URL/],
      [
        ["--data", folder, "--to", nowhere, "--from", nowhere],
        /the other store is the data folder/,
      ],
      [["--data", folder, "--to", nowhere], /there is no database at/],
      [["--data", folder, "--from", nowhere], /nothing listens there/],
      [["--data", folder, "--cancel"], /there is no database at/],
    ];
    for (const [words, says] of cases) {
      const command = new Command(["move", ...words]);
      assert.notEqual(await command.ends(), 0, words.join(" "));
      assert.match(command.errors, says, words.join(" "));
    }
    rmSync(folder, { recursive: true, force: true });
  });

  test("with a secret key that does not open the data, the target is not asked", async () => {
    const data = await emptyData();
    writeFileSync(join(data, "secret.key"), "another".repeat(7));
    const nowhere = "postgres://postrider@127.0.0.1:1/postrider";
    const command = new Command(["move", "--data", data, "--to", nowhere]);
    assert.notEqual(await command.ends(), 0);
    assert.match(command.errors, /secret key/);
    rmSync(data, { recursive: true, force: true });
  });

  test("a short secret key goes back along", { skip: postgresMissing() }, async (t) => {
    const [database, data] = [await freshDatabase(), freshFolder(t)];
    t.after(() => database.drop());
    const environment = { POSTRIDER_SECRET_KEY: "sixteen-letters!" };
    const nodes = Command.serve(t, ["--database-url", database.url], environment);
    await nodes.stopWhenReady();
    const command = new Command(["move", "--data", data, "--from", database.url], environment);
    assert.equal(await command.ends(), 0, command.errors);
    await Command.serve(t, ["--data", data]).stopWhenReady();
  });

  test("a target that takes no writes is told of", { skip: postgresMissing() }, async () => {
    const [data, database] = [await emptyData(), await freshDatabase()];
    const name = new URL(database.url).pathname.slice(1);
    const sql = `ALTER DATABASE ${name} SET default_transaction_read_only = on`;
    await withClient(database.url, (client) => client.query(sql));
    const command = new Command(["move", "--data", data, "--to", database.url]);
    assert.equal(await command.ends(), 1);
    assert.match(
      command.errors,
      /^postrider: PostgreSQL at .* it is read-only.*\n {2}hint: .*run the same command/,
    );
    await database.drop();
    rmSync(data, { recursive: true, force: true });
  });
});

/** The folder of a server that has stopped. */
async function emptyData(): Promise<string> {
  const data = mkdtempSync(join(tmpdir(), "postrider-move-"));
  const service = await TestService.start({ flags: { data } });
  await service.stop();
  return data;
}

const LOAD = { publishers: 4, pauseMs: 20, calmMs: 0 };
