import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { BatchItem } from "../../../sdk/src/client/publish.ts";
import { ApiError, ConnectionError } from "../../../sdk/src/errors.ts";
import { Flags } from "../flags.ts";
import type { Invocation } from "../invocation.ts";
import { Output } from "../terminal/output.ts";
import { HANDLERS } from "./batch.ts";

test("after a lost answer a batch says which messages may be stored", async (t) => {
  const said = await failing(t, new ConnectionError("no answer"));
  assert.equal(
    said,
    "postrider: 100 messages stored; the next 50 may be stored too: --skip 100 sends them again, --skip 150 leaves them out\n",
  );
});

test("after a refusal a batch says where to continue", async (t) => {
  const said = await failing(t, new ApiError(429, "{}", new Headers()));
  assert.equal(said, "postrider: 100 messages stored; --skip 100 continues\n");
});

/** What a batch of 150 messages says whose second request fails. */
async function failing(t: TestContext, error: Error): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "postrider-batch-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "messages.jsonl");
  writeFileSync(file, '{"url":"https://example.com"}\n'.repeat(150));
  const flags = new Flags({ quiet: true });
  const client = {
    batch: async (items: readonly BatchItem[]) => {
      if (items.length < 100) throw error;
      return items.map(() => [] as const);
    },
  };
  const invocation = { words: [file], flags, output: new Output(flags), client };
  const write = t.mock.method(process.stderr, "write", () => true);
  await assert.rejects(HANDLERS["batch"]!(invocation as unknown as Invocation), error);
  const lines = write.mock.calls.map((call) => String(call.arguments[0]));
  write.mock.restore();
  return lines.filter((line) => line.startsWith("postrider:")).join("");
}
