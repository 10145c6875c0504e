/** Large answers take up bounded memory, whether their callers read them or not. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { freshFolder } from "../support/fresh-folder.ts";
import { AccountCalls } from "../support/account-calls.ts";
import { Command } from "../support/command.ts";
import { DeafReaders } from "../support/deaf-readers.ts";
import { call } from "../support/http-call.ts";
import { MEMORY_UNKNOWN as skip, peakMebibytes } from "../support/process-memory.ts";
import { eventually, until } from "../support/eventually.ts";
import { DEV_TOKEN, OTHER_TOKEN } from "../support/service-harness.ts";

const MEBIBYTE = 1024 * 1024;
const MESSAGES = 10;
const READERS = 10;
/** What one round of such readers may add to the memory of the service. */
const GROWTH_MEBIBYTES_MAX = 300;

describe("answers that no caller reads", () => {
  const token = DEV_TOKEN;
  const command = Command.serve({ after }, ["--data", freshFolder({ after })], {}, "dev");
  let readers: DeafReaders;
  let account: AccountCalls;
  let url = "";
  const later = (path: string, label: string, body: string | Uint8Array): Promise<string> =>
    account.publish(
      `https://example.com/${path}`,
      { "Upstash-Delay": "1d", "Upstash-Label": label },
      body,
    );

  before(async () => {
    url = await command.url();
    account = new AccountCalls(url, token);
    readers = new DeafReaders(url, token);
    const body = Buffer.alloc(5 * MEBIBYTE, "x");
    for (let sent = 0; sent < MESSAGES; sent++) await later("large", `large-${sent}`, body);
  });

  after(() => readers.close());

  test("the memory of the service is bounded, and it goes on answering", { skip }, async () => {
    const earlier = peakMebibytes(command.pid);
    await readers.ask("/v2/messages?count=10", READERS);
    const heads = await eventually(() => {
      const found = readers.heads();
      return found.every((head) => /^HTTP\/1\.1 (200|503) /.test(head)) ? found : null;
    }, "an answer for each reader");
    assert.ok(heads.some((head) => head.includes("200")));
    const growth = peakMebibytes(command.pid) - earlier;
    assert.ok(growth < GROWTH_MEBIBYTES_MAX, `it grew by ${growth} MiB`);
    await later("small", "small", "small");
    const other = await call(url, "GET", "/v2/messages", { token: OTHER_TOKEN });
    assert.equal(other.status, 200, other.text);
  });

  test("a bulk change finds no room while answers of its account fill it", async () => {
    readers.close();
    // Each byte is shown as six: more than the share of an account, and than the network takes up.
    const body = Buffer.alloc(6 * MEBIBYTE, 1);
    const messageId = await later("escaped", "escaped", body);
    await readers.ask("/v2/messages?label=escaped", 1);
    await until(() => readers.heads()[0]?.includes("200") === true, "an answer that is held");
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
    assert.equal(await account.status("DELETE", `/v2/messages/${messageId}`), 200);
  });

  test("who reads gets every message, a page at a time", async () => {
    readers.close();
    const messages = (await account.pages("/v2/messages?count=10", "messages")).flat();
    const large = messages.filter(({ label }) => String(label).startsWith("large-"));
    for (const { body } of large) assert.equal((body as string).length, 5 * MEBIBYTE);
    const labels = large.map(({ label }) => label);
    assert.deepEqual(
      labels,
      Array.from({ length: MESSAGES }, (_, index) => `large-${index}`),
    );
  });
});
