/** Every malformed request is refused with a sentence that names the field, and stores nothing. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { PATH_PARAMETERS } from "../../src/api/reference/path-parameters.ts";
import type { CallOptions } from "../support/http-call.ts";
import { journeys } from "../support/journeys.ts";

type Headers = NonNullable<CallOptions["headers"]>;

/** What is sent with a publish, the status it gets, and what the sentence must name. */
const PUBLISHES: readonly [headers: Headers, status: number, names: RegExp][] = [
  [{ "Svc-Method": "FETCH" }, 400, /Svc-Method/],
  [{ "Svc-Method": "" }, 400, /Svc-Method/],
  [{ "Svc-Timeout": "soon" }, 400, /Svc-Timeout/],
  [{ "Svc-Timeout": "-1s" }, 400, /Svc-Timeout/],
  [{ "Svc-Retries": "-1" }, 400, /Svc-Retries/],
  [{ "Svc-Retries": "1e3" }, 400, /Svc-Retries/],
  [{ "Svc-Retries": "0x10" }, 400, /Svc-Retries/],
  [{ "Svc-Retries": "" }, 400, /Svc-Retries/],
  [{ "Svc-Retries": "3.5" }, 400, /Svc-Retries/],
  [{ "Svc-Retries": "9".repeat(16) }, 400, /Svc-Retries/],
  [{ "Svc-Retries": ["1", "2"] }, 400, /Svc-Retries.*twice/],
  [{ "Svc-Retry-Delay": "1 +" }, 400, /Svc-Retry-Delay/],
  [{ "Svc-Retry-Delay": "process.exit()" }, 400, /Svc-Retry-Delay/],
  [{ "Svc-Retry-Delay": "1/0" }, 400, /Svc-Retry-Delay/],
  [{ "Svc-Retry-Delay": "(".repeat(200) }, 400, /Svc-Retry-Delay/],
  [{ "Svc-Delay": "1x" }, 400, /Svc-Delay/],
  [{ "Svc-Delay": "1m1h" }, 400, /Svc-Delay/],
  [{ "Svc-Delay": "9".repeat(40) }, 400, /Svc-Delay/],
  [{ "Svc-Delay": "4000d" }, 412, /maxDelay/],
  [{ "Svc-Not-Before": "tomorrow" }, 400, /Svc-Not-Before/],
  [{ "Svc-Not-Before": "99999999999999999" }, 400, /Svc-Not-Before/],
  [{ "Svc-Not-Before": "9999999999" }, 412, /maxDelay/],
  [{ "Svc-Callback": "example.com" }, 400, /Svc-Callback/],
  [{ "Svc-Callback": "ftp://example.com" }, 400, /Svc-Callback/],
  [{ "Svc-Callback": "http://user:pass@example.com" }, 400, /Callback/],
  [{ "Svc-Callback": "http://169.254.169.254/" }, 400, /Callback/],
  [{ "Svc-Callback": "http://x.example", "Svc-Callback-Method": "X" }, 400, /Callback-Method/],
  [{ "Svc-Callback": "http://x.example", "Svc-Callback-Retries": "x" }, 400, /Callback-Retries/],
  [{ "Svc-Callback": "http://x.example", "Svc-Callback-Retries": "5000" }, 412, /maxRetries/],
  [{ "Svc-Callback": "http://x.example", "Svc-Callback-Timeout": "x" }, 400, /Callback-Timeout/],
  [{ "Svc-Callback": "http://x.example", "Svc-Callback-Delay": "x" }, 400, /Callback-Delay/],
  [{ "Svc-Callback": "http://x.example", "Svc-Callback-Retry-Delay": "?" }, 400, /Retry-Delay/],
  [{ "Svc-Failure-Callback": "nowhere" }, 400, /Svc-Failure-Callback/],
  [{ "Svc-Failure-Callback-Timeout": "x" }, 400, /Failure-Callback-Timeout/],
  [{ "Svc-Label": "," }, 400, /Svc-Label/],
  [{ "Svc-Label": "x".repeat(200) }, 400, /Svc-Label/],
  [{ "Svc-Redact-Fields": "bodies" }, 400, /Svc-Redact-Fields/],
  [{ "Svc-Deduplication-Id": "a:b" }, 400, /DeduplicationId cannot contain ':'/],
  [{ "Svc-Deduplication-Id": "x".repeat(500) }, 400, /Svc-Deduplication-Id/],
  [{ "Svc-Content-Based-Deduplication": "maybe" }, 400, /Content-Based-Deduplication/],
  [{ "Svc-Flow-Control-Key": "k" }, 400, /Flow-Control-Value/],
  [{ "Svc-Flow-Control-Value": "rate=1" }, 400, /Flow-Control-Key/],
  [{ "Svc-Flow-Control-Key": "k", "Svc-Flow-Control-Value": "rate=0" }, 400, /Flow-Control-Value/],
  [{ "Svc-Flow-Control-Key": "k", "Svc-Flow-Control-Value": "__proto__=1" }, 400, /Flow-Control/],
  [{ "Svc-Header-Forward": "yes" }, 400, /Svc-Header-Forward/],
  [{ "Svc-Cron": "* * * * *" }, 400, /Svc-Cron/],
  [{ "Svc-Retrys": "3" }, 400, /Svc-Retrys/],
  [{ "Svc-__proto__": "3" }, 400, /Svc-__proto__/i],
  [{ "Svc-Constructor": "3" }, 400, /Svc-Constructor/],
  [{ "Svc-Hop": "100" }, 400, /Svc-Hop/],
  [{ "Svc-Retries": "1", "Upstash-Timeout": "1s" }, 400, /Svc-Retries.*Upstash-Timeout/],
  [{ "Svc-Forward-Host": "x" }, 400, /Forward-Host/],
  [{ "Svc-Forward-Content-Length": "3" }, 400, /Forward-Content-Length/],
  [{ "Svc-Forward-Transfer-Encoding": "chunked" }, 400, /Forward-Transfer-Encoding/],
  [{ "Svc-Forward-Connection": "close" }, 400, /Forward-Connection/],
  [{ "Svc-Forward-Expect": "100-continue" }, 400, /Forward-Expect/],
  [{ "Svc-Forward-Svc-Signature": "forged" }, 400, /Forward-Svc-Signature/],
  [{ "Svc-Forward-Upstash-Message-Id": "forged" }, 400, /Forward-Upstash-Message-Id/],
  [{ "Svc-Forward-": "x" }, 400, /Svc-Forward-/],
  [{ "Content-Type": ["text/plain", "text/html"] }, 400, /Content-Type.*twice/],
  [{ Authorization: ["Bearer a", "Bearer b"] }, 400, /Authorization/],
];

const DESTINATIONS: readonly [destination: string, status: number, says: RegExp][] = [
  ["", 400, /non-empty destination/],
  ["http://", 400, /destination/],
  ["http:/one-slash.example", 400, /slash/],
  ["ftp://example.com/", 400, /scheme/],
  ["javascript:alert(1)", 400, /scheme/],
  ["http://user:secret@example.com/", 400, /credentials/],
  ["http://example.com:0/", 400, /port/],
  ["http://example.com:99999/", 400, /valid url/],
  ["http://[::1/", 400, /valid url/],
  ["http://exa%00mple.com/", 400, /valid url/],
  ["http://169.254.169.254/latest", 400, /link-local/],
  ["http://[fd00:ec2::254]/", 400, /address/],
  ["http://0.0.0.0/", 400, /address/],
  ["http%3A%2F%2F%ff", 400, /destination/],
  [`http://example.com/${"x".repeat(9_000)}`, 400, /longer/],
  ["a/b", 400, /scheme/],
  ["%zz", 400, /scheme/],
  ["__proto__", 404, /topic __proto__ not found/],
  ["example.com", 404, /topic example\.com not found; a URL begins with http:\/\/ or https:\/\//],
  ["http://x.example/?svc-retries=x", 400, /retries/i],
  ["http://x.example/?svc-retries=%zz", 400, /svc-retries/],
  ["http://x.example/?svc_token=a&qstash_token=b", 400, /token/],
];

const CALLS: readonly [method: string, path: string, status: number, says: RegExp][] = [
  ["GET", "/nothing", 404, /path/],
  ["GET", "/v2", 404, /path/],
  ["GET", "/v3/publish/http://x", 404, /path/],
  ["GET", "//v2/keys", 404, /path/],
  ["GET", "/v2/nothing", 404, /path/],
  ["GET", "/v2/__proto__", 404, /path/],
  ["GET", "/constructor", 404, /path/],
  ["GET", "/v2/publish/http://x.example", 405, /POST/],
  ["PUT", "/v2/logs", 405, /GET/],
  ["POST", "/v2/messages/msg_1", 405, /DELETE/],
  ["POST", "/v2/keys", 405, /GET/],
  ["GET", "/v2/messages/..%2f..", 400, /id/],
  ["GET", `/v2/messages/${"x".repeat(200)}`, 400, /id/],
  ["GET", "/v2/messages/msg_none", 404, /msg_none/],
  ["GET", "/v2/dlq/nonsense", 404, /nonsense/],
  ["GET", "/v2/schedules/none", 404, /schedule none not found/],
  ["GET", "/v2/schedules/a%20b", 400, /id/],
  ["GET", "/v2/queues/..", 400, /id/],
  ["POST", "/v2/enqueue/../http://x.example", 400, /id/],
  ["GET", "/v2/schedules?count=0", 400, /count/],
  ["GET", "/v2/schedules?after=a/b", 400, /after/],
  ["DELETE", "/v2/schedules", 405, /GET/],
  ["DELETE", "/v2/schedules/none", 404, /none/],
  ["POST", "/v2/schedules/none/pause", 404, /none/],
  ["PATCH", "/v2/schedules/none/resume", 404, /none/],
  ["POST", "/v2/schedules/none/run", 404, /none/],
  ["GET", "/v2/schedules/none/pause", 405, /POST/],
  ["POST", "/v2/schedules/api/llm", 400, /not offered/],
  ["GET", "/v2/logs?cursor=abc", 400, /cursor/],
  ["GET", "/v2/logs?cursor=MQ.AAAAAAAAAAAAAAAAAAAAAA", 400, /cursor/],
  ["GET", "/v2/logs?cursor=12345678901234", 400, /cursor/],
  ["GET", `/v2/logs?cursor=1${"0".repeat(60)}`, 400, /cursor/],
  ["GET", "/v2/dlq?cursor=1-1", 400, /cursor/],
  ["GET", "/v2/logs?count=0", 400, /count/],
  ["GET", "/v2/logs?count=1001", 400, /count/],
  ["GET", "/v2/logs?count=ten", 400, /count/],
  ["GET", "/v2/logs?state=LOST", 400, /state/],
  ["GET", "/v2/logs?order=sideways", 400, /order/],
  ["GET", "/v2/logs?fromDate=today", 400, /fromDate/],
  ["GET", "/v2/logs?label=%ff", 400, /label/],
  ["GET", "/v2/logs?messageId=%00", 400, /messageId/],
  ["GET", "/v2/dlq?messageId=a%00", 400, /messageId/],
  ["GET", "/v2/dlq?responseStatus=x", 400, /responseStatus/],
  ["DELETE", "/v2/dlq?unknown=1", 400, /unknown/],
  ["DELETE", "/v2/dlq?dlqIds=", 400, /dlqIds/],
  ["DELETE", "/v2/dlq?__proto__=1", 400, /__proto__/],
  ["POST", "/v2/dlq/retry?urls=1", 400, /urls/],
  ["POST", "/v2/dlq/retry?dlqIds=1-1", 404, /1-1/],
  ["GET", "/v2/logs?=x", 400, /^the query has a value without a name$/],
];

/** What is sent with a schedule that is otherwise sound. */
const SCHEDULES: readonly [headers: Headers, status: number, names: RegExp][] = [
  [{ "Svc-Cron": "" }, 400, /Svc-Cron.*empty/],
  [{ "Svc-Cron": "* * * *" }, 400, /Svc-Cron.*4 fields/],
  [{ "Svc-Cron": "* * * * * *" }, 400, /Svc-Cron.*6 fields/],
  [{ "Svc-Cron": "0 0 L * *" }, 400, /Svc-Cron.*L, W and #/],
  [{ "Svc-Cron": "0 0 30 2 *" }, 400, /Svc-Cron.*never fires/],
  [{ "Svc-Cron": "@every 30s" }, 400, /Svc-Cron.*at least a minute/],
  [{ "Svc-Cron": "CRON_TZ=Mars/Base 0 0 * * *" }, 400, /Svc-Cron.*IANA time zone/],
  [{ "Svc-Cron": "__proto__" }, 400, /Svc-Cron/],
  [{ "Svc-Cron": ["* * * * *", "0 * * * *"] }, 400, /Svc-Cron.*twice/],
  [{ "Svc-Cron": `${"1,".repeat(400)}1 * * * *` }, 400, /Svc-Cron.*longer/],
  [{ "Svc-Schedule-Id": "" }, 400, /Svc-Schedule-Id/],
  [{ "Svc-Schedule-Id": "a/b" }, 400, /Svc-Schedule-Id/],
  [{ "Svc-Schedule-Id": ".." }, 400, /Svc-Schedule-Id/],
  [{ "Svc-Schedule-Id": "x".repeat(200) }, 400, /Svc-Schedule-Id/],
  [{ "Svc-Queue-Name": "a b" }, 400, /Svc-Queue-Name/],
  [{ "Svc-Queue-Name": "." }, 400, /Svc-Queue-Name/],
  [{ "Svc-Not-Before": "1900000000" }, 400, /Svc-Not-Before.*schedule/],
  [{ "Svc-Deduplication-Id": "x" }, 400, /Svc-Deduplication-Id.*schedule/],
  [{ "Svc-Content-Based-Deduplication": "true" }, 400, /Content-Based-Deduplication.*schedule/],
  [{ "Svc-Delay": "4000d" }, 412, /maxDelay/],
  [{ "Svc-Retries": "5000" }, 412, /maxRetries/],
  [{ "Svc-Callback": "http://169.254.169.254/" }, 400, /Callback/],
  [{ "Svc-Flow-Control-Key": "k" }, 400, /Flow-Control-Value/],
  [{ "Upstash-Retries": "1" }, 400, /Svc-Cron.*Upstash-Retries/],
];

const BODIES: readonly [body: string | Uint8Array, says: RegExp][] = [
  ["{", /JSON/],
  ["[]", /dlqIds/],
  ['{"dlqIds":"1-1"}', /dlqIds/],
  ['{"dlqIds":[1]}', /dlqIds/],
  ['{"__proto__":{"dlqIds":[]}}', /dlqIds/],
  ['{"ids":[]}', /dlqIds/],
  ["[".repeat(100), /nested/],
  [Uint8Array.of(0xff, 0xfe), /UTF-8/],
];

/** Variable parts of paths: the sentence about one need not begin with its name. */
const PATH_FIELDS: ReadonlySet<string> = new Set(Object.keys(PATH_PARAMETERS));

journeys("bad input", {}, (journey) => {
  let rowsBefore = 0;
  before(async () => {
    rowsBefore = await journey.service.rowCount();
  });
  async function refused(
    method: string,
    path: string,
    options: CallOptions,
    [status, says]: readonly [number, RegExp],
  ): Promise<void> {
    const answer = await journey.service.refused(`${method} ${path}`, status, says, options);
    const error = answer.json["error"] as string;
    assert.equal(typeof answer.json["code"], "string");
    const field = answer.json["field"] as string | undefined;
    const isOfPath = PATH_FIELDS.has(field ?? "");
    assert.ok(
      field === undefined || isOfPath || field === "body" || error.startsWith(`${field}: `),
      `${path} ${field}`,
    );
  }

  test("a publish with a malformed header is refused", async () => {
    const path = `/v2/publish/${journey.destination.url}/never`;
    for (const [headers, status, says] of PUBLISHES) {
      await refused("POST", path, { headers, body: "x" }, [status, says]);
    }
  });

  test("a schedule with a malformed header is refused", async () => {
    const path = "/v2/schedules/https://example.test/never";
    await refused("POST", path, { body: "x" }, [400, /Svc-Cron: must be given/]);
    for (const [headers, status, says] of SCHEDULES) {
      const all = { "Svc-Cron": "* * * * *", ...headers };
      await refused("POST", path, { headers: all, body: "x" }, [status, says]);
    }
  });

  test("a schedule for a malformed destination is refused", async () => {
    const headers = { "Svc-Cron": "* * * * *" };
    for (const [destination, status, says] of DESTINATIONS) {
      await refused("POST", `/v2/schedules/${destination}`, { headers }, [status, says]);
    }
  });

  test("a publish to a malformed destination is refused", async () => {
    for (const [destination, status, says] of DESTINATIONS) {
      await refused("POST", `/v2/publish/${destination}`, { body: "x" }, [status, says]);
    }
  });

  test("an unknown path, a wrong method and a malformed query are refused", async () => {
    for (const [method, path, status, says] of CALLS) {
      await refused(method, path, {}, [status, says]);
    }
  });

  test("a malformed body is refused, and one that is too large", async () => {
    for (const [body, says] of BODIES) await refused("DELETE", "/v2/dlq", { body }, [400, says]);
    const large = Buffer.alloc(300_000, 32);
    await refused("DELETE", "/v2/dlq", { body: large }, [413, /larger/]);
  });

  test("too many headers, and too large ones, are not dropped but refused", async () => {
    const path = `/v2/publish/${journey.destination.url}/never`;
    const many = Object.fromEntries(
      Array.from({ length: 250 }, (_, index) => [`Svc-Forward-X-${index}`, "1"]),
    );
    await refused("POST", path, { headers: many }, [431, /200/]);
    const large = { "Svc-Forward-X": "x".repeat(20_000) };
    await refused("POST", path, { headers: large }, [431, /16384/]);
    const huge = { "Svc-Forward-X": "x".repeat(100_000) };
    await refused("POST", path, { headers: huge }, [431, /head/]);
  });

  test("a wrong method is answered with those that there are", async () => {
    const { service } = journey;
    const wrong = await service.call("PATCH", "/v2/dlq");
    assert.equal(wrong.headers["allow"], "GET, DELETE, HEAD, OPTIONS");
    const options = await service.call("OPTIONS", "/v2/publish/http://x.example", { token: null });
    assert.equal(options.status, 204);
    assert.equal(options.headers["allow"], "POST, OPTIONS");
    const head = await service.call("HEAD", "/v2/keys");
    assert.equal(head.status, 200);
    assert.equal(head.text, "");
  });

  test("paths are read in any case, with or without a slash at the end", async () => {
    for (const path of ["/V2/Logs", "/v2/logs/", "/v2/DLQ/?count=1", "/v2/KEYS"]) {
      assert.equal(await journey.service.status("GET", path), 200, path);
    }
  });

  test("nothing of all this was stored, sent, or a surprise to the service", async () => {
    assert.equal(await journey.service.rowCount(), rowsBefore);
    assert.deepEqual(journey.destination.requests, []);
    assert.ok(!journey.service.logged.some((line) => line.startsWith("unexpected error")));
  });
});
