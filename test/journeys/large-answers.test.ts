/** Large answers take up bounded memory, whether their callers read them or not. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Command } from "../support/command.ts";
import { DeafReaders } from "../support/deaf-readers.ts";
import { call } from "../support/http-call.ts";
import { MEMORY_UNKNOWN as skip, peakMebibytes } from "../support/process-memory.ts";
import type { Item } from "../support/account-calls.ts";
import { eventually } from "../support/eventually.ts";
import { OTHER_TOKEN } from "../support/service-harness.ts";

const MEBIBYTE = 1024 * 1024;
const MESSAGES = 10;
const READERS = 10;
/** What one round of such readers may add to the memory of the service. */
const GROWTH_MEBIBYTES_MAX = 300;

describe("answers that no caller reads", () => {
  const data = mkdtempSync(join(tmpdir(), "postrider-test-"));
  let command: Command;
  let readers: DeafReaders;
  let url = "";
  const token = Buffer.from('{"UserID":"defaultUser","Password":"defaultPassword"}').toString(
    "base64",
  );

  before(async () => {
    const args = ["dev", "--port", "0", "--data", data];
    command = new Command(args);
    [url] = await command.says(/http:\/\/127\.0\.0\.1:\d+/);
    readers = new DeafReaders(url, token);
    const body = Buffer.alloc(5 * MEBIBYTE, "x");
    for (let sent = 0; sent < MESSAGES; sent++) {
      const headers = { "Upstash-Delay": "1d", "Upstash-Label": `large-${sent}` };
      const path = "/v2/publish/https://example.com/large";
      const answer = await call(url, "POST", path, { token, headers, body });
      assert.equal(answer.status, 200, answer.text);
    }
  });

  after(async () => {
    readers.close();
    command.signal("SIGTERM");
    await command.ends();
    rmSync(data, { recursive: true, force: true });
  });

  test("the memory of the service is bounded, and it goes on answering", { skip }, async () => {
    const earlier = peakMebibytes(command.pid);
    await readers.ask("/v2/messages?count=10", READERS);
    const heads = await eventually(() => {
      const found = readers.heads();
      const isAnswered = found.every((head) => /^HTTP\/1\.1 (200|503) /.test(head));
      return Promise.resolve(isAnswered ? found : null);
    }, "an answer for each reader");
    assert.ok(heads.some((head) => head.includes("200")));
    const growth = peakMebibytes(command.pid) - earlier;
    assert.ok(growth < GROWTH_MEBIBYTES_MAX, `it grew by ${growth} MiB`);
    const headers = { "Upstash-Delay": "1d" };
    const path = "/v2/publish/https://example.com/small";
    const answer = await call(url, "POST", path, { token, headers, body: "small" });
    assert.equal(answer.status, 200, answer.text);
    const other = await call(url, "GET", "/v2/messages", { token: OTHER_TOKEN });
    assert.equal(other.status, 200, other.text);
  });

  test("a bulk change finds no room while answers of its account fill it", async () => {
    readers.close();
    // Each byte is shown as six: more than the share of an account, and than the network takes up.
    const body = Buffer.alloc(6 * MEBIBYTE, 1);
    const headers = { "Upstash-Delay": "1d", "Upstash-Label": "escaped" };
    const path = "/v2/publish/https://example.com/escaped";
    const { json } = await call(url, "POST", path, { token, headers, body });
    await readers.ask("/v2/messages?label=escaped", 1);
    await eventually(
      () => Promise.resolve(readers.heads()[0]?.includes("200") || null),
      "an answer that is held",
    );
    const answers = await Promise.all([
      call(url, "DELETE", "/v2/dlq", { token }),
      call(url, "POST", "/v2/workflows/dlq/restart", { token }),
      call(url, "DELETE", "/v2/dlq", { token: OTHER_TOKEN }),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [503, 503, 200],
    );
    readers.close();
    await call(url, "DELETE", `/v2/messages/${String(json["messageId"])}`, { token });
  });

  test("who reads gets every message, a page at a time", async () => {
    readers.close();
    const labels: unknown[] = [];
    let cursor: string | undefined;
    do {
      const query = cursor === undefined ? "" : `&cursor=${cursor}`;
      const { json } = await call(url, "GET", `/v2/messages?count=10${query}`, { token });
      for (const message of json["messages"] as Item[]) {
        if (message["label"] === undefined) continue;
        labels.push(message["label"]);
        assert.equal((message["body"] as string).length, 5 * MEBIBYTE);
      }
      cursor = json["cursor"] as string | undefined;
    } while (cursor !== undefined);
    assert.deepEqual(
      labels,
      Array.from({ length: MESSAGES }, (_, index) => `large-${index}`),
    );
  });
});
