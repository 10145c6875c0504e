/** A service under load, moved from SQLite to PostgreSQL and back by the command that an operator runs. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { moveUnderLoad, requireMoved } from "../prove/move.ts";
import { Command } from "../support/command.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";
import { TestService } from "../support/service-harness.ts";

describe("moves of a service", () => {
  test("under load, killed three times each way", { skip: postgresMissing() }, async () => {
    const database = await freshDatabase();
    try {
      requireMoved(await moveUnderLoad(database.url, { messages: 3_000, publishers: 4 }));
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
    const data = mkdtempSync(join(tmpdir(), "postrider-move-"));
    const service = await TestService.start({ flags: { data } });
    await service.stop();
    writeFileSync(join(data, "secret.key"), "another".repeat(7));
    const nowhere = "postgres://postrider@127.0.0.1:1/postrider";
    const command = new Command(["move", "--data", data, "--to", nowhere]);
    assert.notEqual(await command.ends(), 0);
    assert.match(command.errors, /secret key/);
    rmSync(data, { recursive: true, force: true });
  });
});
