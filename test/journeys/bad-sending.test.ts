/** Every malformed call of the endpoints that send many is refused by name, and stores nothing. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";

type Case = readonly [method: string, path: string, body: string, status: number, says: RegExp];

const URL_MAX = 8_192;
const GROUP = "/v2/topics/group/endpoints";
const one = (endpoint: string): string => `{"endpoints":[${endpoint}]}`;
const header = (text: string): string => `{"headers":{${text}}}`;

const TOPICS: readonly Case[] = [
  ["POST", "/v2/topics/a%20b/endpoints", one('{"url":"https://x.example"}'), 400, /id in the path/],
  ["POST", "/v2/topics/../endpoints", one('{"url":"https://x.example"}'), 400, /id in the path/],
  ["POST", `/v2/topics/${"x".repeat(129)}/endpoints`, "{}", 400, /id in the path/],
  ["POST", GROUP, "", 400, /JSON/],
  ["POST", GROUP, "[]", 400, /endpoints/],
  ["POST", GROUP, "{}", 400, /endpoints/],
  ["POST", GROUP, '{"endpoints":{}}', 400, /endpoints/],
  ["POST", GROUP, '{"endpoints":[]}', 400, /endpoints: is empty/],
  ["POST", GROUP, '{"endpoints":[],"headers":{}}', 400, /headers/],
  ["POST", GROUP, '{"__proto__":{"endpoints":[{"url":"https://x.example"}]}}', 400, /endpoints/],
  ["POST", GROUP, one("1"), 400, /endpoints\[0\]/],
  ["POST", GROUP, one("{}"), 400, /endpoints\[0\]\.url/],
  ["POST", GROUP, one('{"name":"n"}'), 400, /endpoints\[0\]\.url/],
  ["POST", GROUP, one('{"url":1}'), 400, /endpoints\[0\]\.url/],
  ["POST", GROUP, one('{"url":"x.example"}'), 400, /endpoints\[0\]\.url.*scheme/],
  ["POST", GROUP, one('{"url":"ftp://x.example"}'), 400, /endpoints\[0\]\.url.*scheme/],
  ["POST", GROUP, one('{"url":"http://169.254.169.254/"}'), 400, /endpoints\[0\]\.url.*address/],
  ["POST", GROUP, one('{"url":"http://u:p@x.example/"}'), 400, /endpoints\[0\]\.url.*credentials/],
  ["POST", GROUP, one(`{"url":"http://x.example/${"x".repeat(URL_MAX)}"}`), 400, /longer/],
  ["POST", GROUP, one('{"url":"https://x.example/\\u0000"}'), 400, /endpoints\[0\]\.url/],
  ["POST", GROUP, one('{"url":"https://x.example","name":"a\\u0000b"}'), 400, /\.name/],
  ["POST", GROUP, one('{"url":"https://x.example","name":"\\ud800"}'), 400, /\.name/],
  ["POST", GROUP, one(`{"url":"https://x.example","name":"${"n".repeat(129)}"}`), 400, /\.name/],
  ["POST", GROUP, one('{"url":"https://x.example","name":{}}'), 400, /\.name/],
  ["POST", GROUP, one('{"url":"https://x.example","nam":"n"}'), 400, /nam is not a known member/],
  [
    "POST",
    GROUP,
    `{"endpoints":[${Array.from({ length: 1_001 }, () => "{}").join(",")}]}`,
    400,
    /endpoints: has more than 1000/,
  ],
  ["DELETE", GROUP, one("{}"), 400, /url or a name/],
  ["DELETE", GROUP, one('{"url":null,"name":""}'), 400, /url or a name/],
  ["DELETE", GROUP, '{"endpoints":[]}', 400, /endpoints/],
  ["DELETE", "/v2/topics/nobody/endpoints", one('{"name":"n"}'), 404, /topic nobody not found/],
  ["PATCH", "/v2/topics/nobody", '{"headers":{}}', 404, /topic nobody not found/],
  ["PATCH", "/v2/topics/group", "", 400, /JSON/],
  ["PATCH", "/v2/topics/group", "{}", 400, /headers/],
  ["PATCH", "/v2/topics/group", '{"headers":[]}', 400, /headers/],
  ["PATCH", "/v2/topics/group", '{"headers":{},"endpoints":[]}', 400, /endpoints/],
  ["PATCH", "/v2/topics/group", header('"Svc-Retries":3'), 400, /Svc-Retries/],
  ["PATCH", "/v2/topics/group", header('"Svc-Retries":"x"'), 400, /Svc-Retries/],
  ["PATCH", "/v2/topics/group", header('"Svc-Retries":["1","2"]'), 400, /Svc-Retries.*twice/],
  ["PATCH", "/v2/topics/group", header('"Svc-Retries":"1","svc-retries":"2"'), 400, /twice/],
  ["PATCH", "/v2/topics/group", header('"Upstash-Delay":"1x"'), 400, /Upstash-Delay/],
  ["PATCH", "/v2/topics/group", header('"Svc-Retries":"1","Upstash-Delay":"1s"'), 400, /two voc/],
  ["PATCH", "/v2/topics/group", header('"Svc-Retrys":"1"'), 400, /Svc-Retrys/],
  ["PATCH", "/v2/topics/group", header('"X-Own":"1"'), 400, /X-Own/],
  ["PATCH", "/v2/topics/group", header('"__proto__":"1"'), 400, /__proto__/],
  ["PATCH", "/v2/topics/group", header('"Svc-Forward-Host":"x"'), 400, /Forward-Host/],
  ["PATCH", "/v2/topics/group", header('"Svc-Forward-X":"a\\u0000"'), 400, /Forward-X/],
  ["PATCH", "/v2/topics/group", header(`"Svc-Forward-X":"${"x".repeat(20_000)}"`), 431, /16384/],
  ["GET", "/v2/topics/nobody", "", 404, /topic nobody not found/],
  ["PUT", "/v2/topics", "", 405, /GET/],
  ["POST", "/v2/topics/group", "", 405, /PATCH/],
];

const LOOKS: readonly Case[] = [
  ["GET", "/v2/messages?cursor=abc", "", 400, /cursor/],
  ["GET", "/v2/messages?cursor=MQ.AAAAAAAAAAAAAAAAAAAAAA", "", 400, /cursor/],
  ["GET", "/v2/messages?count=0", "", 400, /count/],
  ["GET", "/v2/messages?count=101", "", 400, /count/],
  ["GET", "/v2/messages?order=latestFirst", "", 400, /order/],
  ["GET", "/v2/messages?state=ACTIVE", "", 400, /state/],
  ["GET", "/v2/messages?label=", "", 400, /label/],
  ["GET", "/v2/messages?label=%00", "", 400, /label/],
  ["GET", "/v2/messages?fromDate=today", "", 400, /fromDate/],
  ["GET", "/v2/messages?__proto__=1", "", 400, /__proto__/],
  ["POST", "/v2/messages", "", 405, /GET/],
  ["GET", "/v2/cron/preview", "", 400, /cron: must be given/],
  ["GET", "/v2/cron/preview?cron=", "", 400, /cron/],
  ["GET", "/v2/cron/preview?cron=*+*+*+*", "", 400, /cron.*4 fields/],
  ["GET", "/v2/cron/preview?cron=0+0+30+2+*", "", 400, /cron.*never fires/],
  ["GET", "/v2/cron/preview?cron=CRON_TZ%3DMars/Base+0+0+*+*+*", "", 400, /cron.*IANA/],
  ["GET", `/v2/cron/preview?cron=${"1,".repeat(400)}1+*+*+*+*`, "", 400, /cron.*longer/],
  ["GET", "/v2/cron/preview?cron=@daily&cron=@hourly", "", 400, /cron.*twice/],
  ["GET", "/v2/cron/preview?cron=@daily&count=0", "", 400, /count/],
  ["GET", "/v2/cron/preview?cron=@daily&count=101", "", 400, /count/],
  ["GET", "/v2/cron/preview?cron=@daily&from=1", "", 400, /from/],
  ["POST", "/v2/cron/preview?cron=@daily", "", 405, /GET/],
  ["GET", "/v2/cron", "", 404, /path/],
];

const CANCELS: readonly Case[] = [
  ["DELETE", "/v2/messages?unknown=1", "", 400, /unknown/],
  ["DELETE", "/v2/messages/?labels=1", "", 400, /labels/],
  ["DELETE", "/v2/messages?label=", "", 400, /label/],
  ["DELETE", "/v2/messages?count=0", "", 400, /count/],
  ["DELETE", "/v2/messages?messageIds=%00", "", 400, /messageIds/],
  ["DELETE", "/v2/messages", "{", 400, /JSON/],
  ["DELETE", "/v2/messages", "[]", 400, /object/],
  ["DELETE", "/v2/messages", '{"messageIds":"a","ids":[]}', 400, /ids/],
  ["DELETE", "/v2/messages", '{"messageIds":[1]}', 400, /messageIds/],
  ["DELETE", "/v2/messages", '{"messageIds":["a\\u0000"]}', 400, /messageIds/],
  ["DELETE", "/v2/messages", '{"label":[]}', 400, /label/],
  ["DELETE", "/v2/messages", '{"__proto__":{}}', 400, /__proto__/],
  ["DELETE", "/v2/messages", "[".repeat(100), 400, /nested/],
  ["DELETE", "/v2/messages", " ".repeat(300_000), 413, /larger/],
  ["PUT", "/v2/messages", "", 405, /DELETE/],
];

const GOOD = '{"destination":"https://x.example/"}';
const BATCHES: readonly Case[] = [
  ["POST", "/v2/batch", "", 400, /JSON/],
  ["POST", "/v2/batch", GOOD, 400, /array/],
  ["POST", "/v2/batch", `[${GOOD}`, 400, /JSON/],
  ["POST", "/v2/batch", `[${GOOD},1]`, 400, /body\[1\]/],
  ["POST", "/v2/batch", `[${GOOD},null]`, 400, /body\[1\]/],
  ["POST", "/v2/batch", `[${Array.from({ length: 1_001 }, () => GOOD).join(",")}]`, 400, /1000/],
  ["POST", "/v2/batch", "[".repeat(100), 400, /nested/],
  ["POST", "/v2/batch", `[${"[".repeat(100)}${"]".repeat(100)}]`, 400, /nested/],
  ["POST", "/v2/batch/x", "[]", 404, /path/],
  ["GET", "/v2/batch", "", 405, /POST/],
];

/** Items that are refused in their place, and what they are refused for. */
const ITEMS: readonly [item: string, says: RegExp][] = [
  ["{}", /destination/],
  ['{"destination":null}', /destination/],
  ['{"destination":""}', /destination/],
  ['{"destination":"nobody"}', /topic nobody not found/],
  ['{"destination":"http://169.254.169.254/"}', /address/],
  ['{"destination":"https://x.example/","headers":"x"}', /headers/],
  ['{"destination":"https://x.example/","headers":{"svc-retries":1}}', /svc-retries/],
  ['{"destination":"https://x.example/","headers":{"svc-retries":"x"}}', /svc-retries/i],
  ['{"destination":"https://x.example/","headers":{"svc-label":"\\u65e5"}}', /svc-label/i],
  ['{"destination":"https://x.example/","headers":{"svc-forward-x":"a\\nb"}}', /svc-forward-x/i],
  [
    '{"destination":"https://x.example/","headers":{"svc-method":"GET","upstash-delay":"1s"}}',
    /two/,
  ],
  ['{"destination":"https://x.example/","body":1}', /body/],
  ['{"destination":"https://x.example/","queue":"a b"}', /queue/],
  ['{"destination":"https://x.example/","queue":{}}', /queue/],
  ['{"destination":"https://x.example/","queue":"q","headers":{"svc-delay":"1s"}}', /svc-delay/i],
  ['{"destination":"https://x.example/","queueName":"q"}', /queueName/],
  ['{"destination":"https://x.example/","__proto__":{"queue":"q"}}', /__proto__/],
];

const ENQUEUES: readonly Case[] = [
  ["POST", "/v2/enqueue", "", 404, /path/],
  ["POST", "/v2/enqueue/", "", 400, /id in the path/],
  ["POST", "/v2/enqueue/q", "", 400, /non-empty destination/],
  ["POST", "/v2/enqueue/q/", "", 400, /non-empty destination/],
  ["POST", "/v2/enqueue/a%2Fb/https://x.example", "", 400, /id in the path/],
  ["POST", `/v2/enqueue/${"q".repeat(129)}/https://x.example`, "", 400, /id in the path/],
  ["POST", "/v2/enqueue/q/nobody", "", 404, /topic nobody not found/],
  [
    "POST",
    "/v2/enqueue/q/https://x.example?svc-not-before=1",
    "",
    400,
    /not supported by enqueue/i,
  ],
  ["GET", "/v2/enqueue/q/https://x.example", "", 405, /POST/],
];

journeys("bad input to what sends many", {}, (journey) => {
  let rowsBefore = 0;
  before(async () => {
    await journey.service.addEndpoints("group", "https://x.example/");
    rowsBefore = await journey.service.rowCount();
  });

  for (const [name, cases] of [
    ["a malformed change of a URL group", TOPICS],
    ["a malformed look at messages or at a cron", LOOKS],
    ["a malformed cancellation", CANCELS],
    ["a malformed batch", BATCHES],
    ["a malformed enqueue", ENQUEUES],
  ] as const) {
    test(`${name} is refused`, async () => {
      for (const [method, path, body, status, says] of cases) {
        await journey.service.refused(`${method} ${path}`, status, says, { body });
      }
    });
  }

  test("a malformed item of a batch is refused in its place", async () => {
    const body = `[${ITEMS.map(([item]) => item).join(",")}]`;
    const answer = await journey.service.call("POST", "/v2/batch", { body });
    assert.equal(answer.status, 200);
    const answers = answer.json as unknown as Item[];
    for (const [index, [item, says]] of ITEMS.entries()) {
      assert.match(answers[index]?.["error"] as string, says, item);
    }
  });

  test("nothing of all this was stored, or a surprise to the service", async () => {
    const { service } = journey;
    assert.equal(await service.rowCount(), rowsBefore);
    const group = await service.get("/v2/topics/group");
    assert.deepEqual(group["endpoints"], [{ url: "https://x.example/" }]);
    assert.equal(group["headers"], undefined);
    assert.ok(!service.logged.some((line) => line.startsWith("unexpected error")));
  });
});
