/** Texts outside of ASCII: what is called or shown is what was written, wherever it was written. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../support/eventually.ts";
import { journeys } from "../support/journeys.ts";

/** Two that Latin-1 has, and those that it has not. */
const WORDS = ["ü", "ß€", "日本", "🚀"];

journeys("URLs in UTF-8", {}, (journey) => {
  for (const prefix of ["Svc", "Upstash"]) {
    test(`in ${prefix}-Callback and ${prefix}-Failure-Callback`, async () => {
      const { service, destination } = journey;
      const { url } = destination;
      destination.respond = ({ url: path }) => ({ status: path === "/fails" ? 500 : 200 });
      for (const word of WORDS) {
        const callback = `${url}/${prefix}/done/${word}?q=${word}`;
        const messageId = await service.publish(`${url}/fails`, {
          [`${prefix}-Retries`]: "0",
          [`${prefix}-Callback`]: bytesOf(callback),
          [`${prefix}-Failure-Callback`]: bytesOf(`${url}/${prefix}/failed/${word}`),
        });
        const [request] = await destination.received(`/${prefix}/done/${encoded(word)}`);
        assert.equal(request.url, `/${prefix}/done/${encoded(word)}?q=${encoded(word)}`);
        await destination.received(`/${prefix}/failed/${encoded(word)}`);
        assert.equal((await service.message(messageId))["callback"], callback);
      }
      destination.respond = () => ({});
    });
  }

  test("in a path it is percent-encoded, and refused otherwise", async () => {
    const { service, destination } = journey;
    for (const word of WORDS) {
      const path = `/path/${encoded(word)}`;
      await service.publish(`${destination.url}${path}`);
      await destination.received(path);
      for (const written of [bytesOf(word), "\xfc"]) {
        for (const route of ["publish", "enqueue/never", "trigger", "schedules"]) {
          const called = `POST /v2/${route}/${destination.url}/${written}`;
          await service.refused(called, 400, /^the request is not valid HTTP/);
        }
      }
    }
  });

  test("in the query it is percent-encoded", async () => {
    const { service, destination } = journey;
    const { url } = destination;
    for (const word of WORDS) {
      const callback = encodeURIComponent(`${url}/query/${word}`);
      await service.publish(`${url}/from?svc-callback=${callback}`);
      await destination.received(`/query/${encoded(word)}`);
    }
  });

  test("in items of a batch, and in headers of a URL group", async () => {
    const { service, destination } = journey;
    const { url } = destination;
    for (const [index, word] of WORDS.entries()) {
      const answers = await service.batch([
        {
          destination: `${url}/item/${word}`,
          headers: { "Upstash-Callback": `${url}/item-done/${word}` },
        },
      ]);
      assert.deepEqual(Object.keys(answers[0]!), ["messageId", "url"]);
      await destination.received(`/item/${encoded(word)}`);
      await destination.received(`/item-done/${encoded(word)}`);
      const group = `words-${index}`;
      await service.addEndpoints(group, `${url}/endpoint/${word}`);
      const headers = { "Svc-Callback": `${url}/group-done/${word}` };
      const body = JSON.stringify({ headers });
      const patched = await service.call("PATCH", `/v2/topics/${group}`, { body });
      assert.equal(patched.status, 200, patched.text);
      assert.deepEqual(patched.json["headers"], { "Svc-Callback": [headers["Svc-Callback"]] });
      assert.equal((await service.call("POST", `/v2/publish/${group}`)).status, 200);
      await destination.received(`/endpoint/${encoded(word)}`);
      await destination.received(`/group-done/${encoded(word)}`);
    }
  });

  test("what is not UTF-8 is refused, and the header is named", async () => {
    const { service, destination } = journey;
    const { url } = destination;
    for (const bytes of ["\xfc", "a\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80"]) {
      for (const [name, path] of [
        ["Svc-Callback", `publish/${url}/never`],
        ["Upstash-Failure-Callback", `publish/${url}/never`],
        ["Svc-Callback", `enqueue/never/${url}/never`],
        ["Svc-Failure-Callback", `trigger/${url}/never`],
      ] as const) {
        const headers = { [name]: `${url}/${bytes}` };
        const says = new RegExp(`^${name}: is not UTF-8`);
        await service.refused(`POST /v2/${path}`, 400, says, { headers });
      }
    }
    assert.equal(destination.to("/never").length, 0);
  });

  test("a step is told in the way that does not end its run", async () => {
    const { service, destination } = journey;
    const headers = { "Svc-Workflow-RunId": "wfr_none", "Svc-Callback": "https://x.test/\xfc" };
    const called = `POST /v2/publish/${destination.url}/never`;
    await service.refused(called, 422, /^Svc-Callback: is not UTF-8/, {
      headers,
      // Beside a body that is text, Node would write the header as UTF-8.
      body: Buffer.from('{"stepId":1,"stepName":"a","stepType":"Run"}'),
    });
  });

  test("half of a surrogate pair is refused wherever a text of JSON becomes bytes", async () => {
    const { service, destination } = journey;
    const { url } = destination;
    const half = String.raw`\ud83d`;
    const items = `[{"destination":"${url}/${half}"},{"destination":"${url}/x","headers":{"Svc-Callback":"${url}/${half}"}}]`;
    const answer = await service.call("POST", "/v2/batch", { body: items });
    const errors = (answer.json as unknown as { error?: string }[]).map(({ error }) => error);
    assert.match(String(errors[0]), /half of a surrogate pair/);
    assert.match(String(errors[1]), /^Svc-Callback: .*half of a surrogate pair/);
    const rows = await service.rowCount();
    const members: readonly [member: string, field: string][] = [
      [`"body":"${half}"`, "body"],
      [`"body":"x","queue":"${half}"`, "queue"],
      [`"headers":{"Svc-Forward-X":"${half}"}`, "Svc-Forward-X"],
      [`"headers":{"Svc-Forward-${half}":"x"}`, "Svc-Forward-?"],
      [`"headers":{"Svc-Label":"${half}"}`, "Svc-Label"],
    ];
    for (const [member, field] of members) {
      const body = `[{"destination":"${url}/x",${member}}]`;
      const refused = await service.call("POST", "/v2/batch", { body });
      const [item] = refused.json as unknown as Record<string, string>[];
      assert.deepEqual([item?.["code"], item?.["field"]], ["invalid-request", field], refused.text);
      await service.refused("POST /v2/batch/trigger", 400, /^body\[0\]: /, { body });
    }
    const filter = { body: `{"url":"${url}/${half}"}` };
    await service.refused("DELETE /v2/messages", 400, /^url: .*half of a surrogate/, filter);
    assert.equal(await service.rowCount(), rows);
    // A body of its own is bytes, which the service does not read.
    const whole = await service.publish(`${url}/escaped`, {}, `"${half}"`);
    await until(async () => (await service.log(whole)).length === 3, "it is delivered");
    assert.equal(destination.requests.at(-1)?.body.toString(), `"${half}"`);
  });
});

journeys("labels and keys in UTF-8 and Latin-1", {}, (journey) => {
  const LATER = { "Svc-Delay": "1h" };
  const limits = { "Svc-Flow-Control-Value": "parallelism=9" };

  test("are the same texts in headers, in the query and in a batch", async () => {
    const { service, destination } = journey;
    const { url } = destination;
    const word = "größe";
    const settings = { "Svc-Label": word, "Svc-Flow-Control-Key": word };
    const inUtf8 = Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [name, bytesOf(value)]),
    );
    const published = [
      await service.publish(`${url}/utf-8`, { ...LATER, ...limits, ...inUtf8 }),
      await service.publish(`${url}/latin-1`, { ...LATER, ...limits, ...settings }),
      await service.publish(`${url}/query?svc-label=${encoded(word)}`, LATER),
    ];
    const headers = { ...LATER, ...limits, ...settings };
    const [item] = await service.batch([{ destination: `${url}/batch`, headers }]);
    published.push(String(item!["messageId"]));
    const { json } = await service.call("GET", `/v2/messages?label=${encoded(word)}`);
    const found = json["messages"] as { messageId: string; label: string }[];
    assert.deepEqual(
      found.map(({ messageId, label }) => [messageId, label]),
      published.map((messageId) => [messageId, word]),
    );
    const key = await service.call("GET", `/v2/flowControl/${encoded(word)}`);
    assert.equal(key.json["flowControlKey"], word, key.text);
    const deduplicated = { ...LATER, "Svc-Deduplication-Id": word };
    const first = await service.publish(`${url}/once`, deduplicated);
    const repeat = { ...LATER, "Svc-Deduplication-Id": bytesOf(word) };
    const again = await service.call("POST", `/v2/publish/${url}/once`, { headers: repeat });
    assert.deepEqual([again.status, again.json["messageId"]], [202, first]);
    await service.call("DELETE", "/v2/messages");
  });

  test("beyond Latin-1 are refused, wherever they are given, since no header carries them", async () => {
    const { service, destination } = journey;
    const refusal = /^Svc-Label: holds a control character or one outside of Latin-1/;
    const headers = { "Svc-Label": bytesOf("日本") };
    const { url } = destination;
    await service.refused(`POST /v2/publish/${url}/x`, 400, refusal, { headers });
    const query = `svc-label=${encoded("日本")}`;
    const inQuery = await service.call("POST", `/v2/publish/${url}/x?${query}`);
    assert.equal(inQuery.status, 400, inQuery.text);
  });

  test("a header that is passed on keeps its bytes", async () => {
    const { service, destination } = journey;
    for (const value of [bytesOf("größe"), "größe", bytesOf("日本")]) {
      const path = `/bytes/${Buffer.from(value, "latin1").toString("hex")}`;
      await service.publish(`${destination.url}${path}`, { "Svc-Forward-X-Text": value });
      const [{ headers }] = await destination.received(path);
      assert.equal(headers["x-text"], value);
    }
  });
});

journeys("URLs of workflows in UTF-8", {}, (journey) => {
  test("arrive at the endpoint in ASCII, and mean the same", async () => {
    const { service, destination } = journey;
    const items = WORDS.map((word) => ({ destination: `${destination.url}/flow/${word}` }));
    const body = JSON.stringify(items);
    assert.equal((await service.call("POST", "/v2/batch/trigger", { body })).status, 201);
    for (const word of WORDS) {
      const [{ headers }] = await destination.received(`/flow/${encoded(word)}`);
      const told = `${destination.url}/flow/${encoded(word)}`;
      assert.equal(headers["svc-workflow-url"], told);
      assert.equal(headers["upstash-workflow-url"], told);
    }
  });

  test("are called when the run has failed, wherever they were given", async () => {
    const { service, destination } = journey;
    const { url } = destination;
    destination.respond = ({ url: path }) => ({ status: path.startsWith("/failing") ? 500 : 200 });
    for (const word of WORDS) {
      const failureUrl = `${url}/failed/${word}`;
      const headers = { "Svc-Failure-Callback": bytesOf(failureUrl), "Svc-Retries": "0" };
      await service.trigger(`${url}/failing`, headers);
      const item = {
        destination: `${url}/failing`,
        headers: { "Svc-Failure-Callback": failureUrl, "Svc-Retries": "0" },
      };
      const body = JSON.stringify([item]);
      assert.equal((await service.call("POST", "/v2/batch/trigger", { body })).status, 201);
      await destination.received(`/failed/${encoded(word)}`, 2);
    }
    destination.respond = () => ({});
  });
});

/** Text as Node writes it into a request: each byte of its UTF-8 as one character. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString("latin1");
}

const encoded = (word: string): string => encodeURIComponent(word);
