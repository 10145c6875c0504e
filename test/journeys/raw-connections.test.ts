/** What arrives on a connection need not be a well-behaved request. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { before, test } from "node:test";
import { exchangeBytes } from "../support/http-call.ts";
import { journeys } from "../support/journeys.ts";
import { until } from "../support/eventually.ts";

const LIMIT_BYTES = 10 * 1024 * 1024;

/** Requests that two servers in a row might read differently; Node and we refuse them all. */
const SHAPES: Readonly<Record<string, string>> = {
  "length and chunks": "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "two lengths": "Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
  "a signed length": "Content-Length: +1\r\n\r\nx",
  "a length that is none": "Content-Length: one\r\n\r\nx",
  "a folded header": "X-A: b\r\n c\r\nContent-Length: 0\r\n\r\n",
  "a blank before the colon": "X-A : b\r\nContent-Length: 0\r\n\r\n",
  "a bare line feed": "X-A: b\nContent-Length: 0\r\n\r\n",
  "a NUL in a value": "X-A: b\0c\r\nContent-Length: 0\r\n\r\n",
  "a control character in one of our values": "Svc-Label: a\x01b\r\nContent-Length: 0\r\n\r\n",
  "an unknown transfer encoding": "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
  "an encoding before the chunks": "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
  "chunks in chunks": "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
  "two transfer encodings":
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "two different transfer encodings":
    "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "no encoding": "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n",
  "an empty encoding": "Transfer-Encoding: \r\nContent-Length: 0\r\n\r\n",
  "an encoding with a parameter": "Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n",
  "chunks and a length": "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
  "a chunk of no size": "Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
  "a negative chunk": "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
};

journeys("raw connections", {}, (journey) => {
  let rowsBefore = 0;
  before(async () => {
    rowsBefore = await journey.service.rowCount();
  });

  const head = (more = ""): string =>
    `POST /v2/publish/${journey.destination.url}/raw HTTP/1.1\r\nHost: localhost\r\n` +
    `Authorization: Bearer ${journey.service.token}\r\n${more}`;
  const exchange = (...parts: (string | Uint8Array)[]): Promise<string> =>
    exchangeBytes(journey.service.url, ...parts);

  test("shapes that smuggle get one 400 and the end of the connection", async () => {
    for (const [name, rest] of Object.entries(SHAPES)) {
      const answer = await exchange(`${head("Connection: close\r\n")}${rest}`);
      assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/, name);
      assert.equal(answer.match(/HTTP\/1\.1 /g)?.length, 1, name);
      assert.match(
        answer,
        /\{"error":"[^"]+","code":"invalid-request"(,"field":"[^"]+")?\}$/,
        name,
      );
    }
  });

  test("what follows a refused transfer encoding is not taken for a request", async () => {
    const body = "0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    const answer = await exchange(`${head("Transfer-Encoding: gzip, chunked\r\n\r\n")}${body}`);
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.equal(answer.match(/HTTP\/1\.1 /g)?.length, 1);
    const old = `${head("Transfer-Encoding: chunked\r\n\r\n").replace("1.1", "1.0")}${body}`;
    assert.match(await exchange(old), /^HTTP\/1\.1 400 /);
  });

  test("other targets than paths, other protocols and missing hosts are refused", async () => {
    const refused = [
      "GET http://evil.example/v2/keys HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      "GET * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET /v2/keys HTTP/1.1\r\nConnection: close\r\n\r\n",
      "GET /v2/keys HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n",
      "GET /v2/keys HTTP/9.9\r\nHost: localhost\r\n\r\n",
      "NONSENSE\r\n\r\n",
      "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ];
    for (const request of refused) {
      const answer = await exchange(request);
      assert.match(answer, /^HTTP\/1\.1 400 /, request);
    }
  });

  test("a body that is declared too large is refused before it is sent", async () => {
    const answer = await exchange(head(`Content-Length: ${LIMIT_BYTES + 1}\r\n\r\n`));
    assert.match(answer, /^HTTP\/1\.1 413 /);
    assert.match(answer, /"code":"body-too-large"/);
  });

  test("a body that turns out too large is refused while it is being sent", async () => {
    const chunk = Buffer.alloc(1024 * 1024, 120);
    const parts: (string | Uint8Array)[] = [head("Transfer-Encoding: chunked\r\n\r\n")];
    for (let sent = 0; sent <= LIMIT_BYTES; sent += chunk.length) {
      parts.push(`${chunk.length.toString(16)}\r\n`, chunk, "\r\n");
    }
    const answer = await exchange(...parts);
    assert.match(answer, /^HTTP\/1\.1 413 /);
  });

  test("a client that sends Expect is told whether to continue", async () => {
    const expect = "Expect: 100-continue\r\nConnection: close\r\n";
    const refused = await exchange(head(`${expect}Content-Length: ${LIMIT_BYTES + 1}\r\n\r\n`));
    assert.match(refused, /^HTTP\/1\.1 413 /);
    const other = await exchange(
      head("Expect: 200-ok\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx"),
    );
    assert.match(other, /^HTTP\/1\.1 400 .*"error":"Expect: [^"]+".*"field":"Expect"/s);
    const stranger = `POST /v2/publish/http://x.example HTTP/1.1\r\nHost: localhost\r\n${expect}Content-Length: 5\r\n\r\n`;
    assert.match(await exchange(stranger), /^HTTP\/1\.1 401 /);
    const hook = `POST /v2/workflows/hooks/no-account/run/event HTTP/1.1\r\nHost: localhost\r\n${expect}Content-Length: 5\r\n\r\n`;
    assert.match(await exchange(hook), /^HTTP\/1\.1 404 /);
    assert.equal(await journey.service.rowCount(), rowsBefore);
    const welcome = await exchange(
      head(`${expect}Svc-Delay: 1h\r\nContent-Length: 5\r\n\r\nhello`),
    );
    assert.match(welcome, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    rowsBefore = await journey.service.rowCount();
  });

  test("an upload that breaks off stores nothing", async () => {
    const { hostname, port } = new URL(journey.service.url);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(head("Content-Length: 100\r\n\r\nhalf of it"), () => socket.destroy());
      });
      socket.on("close", () => resolve());
    });
    await until(async () => (await journey.service.status("GET", "/readyz")) === 200, "ready");
    assert.equal(await journey.service.rowCount(), rowsBefore);
  });

  test("requests in one packet are answered in their order", async () => {
    const publish = head("Svc-Delay: 1h\r\nContent-Length: 1\r\n\r\nx");
    const last = head("Svc-Delay: 1h\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx");
    const answer = await exchange(
      `${publish}${publish}GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n${last}`,
    );
    const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1]);
    assert.deepEqual(statuses, ["200", "200", "404", "200"]);
    assert.ok(!journey.service.logged.some((line) => line.startsWith("unexpected error")));
  });

  test("what follows a whole request is refused after its answer, and not in its place", async () => {
    const publish = head("Svc-Delay: 1h\r\nContent-Length: 1\r\n\r\nx");
    const closing = head("Svc-Delay: 1h\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx");
    const broken = head("Svc-Delay: 1h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n");
    const sent: readonly [what: string, bytes: string, statuses: readonly string[]][] = [
      ["no request", `${publish}NONSENSE\r\n\r\n`, ["200", "400"]],
      ["a body longer than its length", `${publish}yz`, ["200", "400"]],
      ["a head that is none", `${publish}GET / HTTP/1.1\r\nA b: c\r\n\r\n`, ["200", "400"]],
      ["a broken body", `${publish}${publish}${broken}`, ["200", "200", "400"]],
      ["anything after the last request", `${closing}yz`, ["200"]],
    ];
    for (const [what, bytes, statuses] of sent) {
      const rows = await journey.service.rowCount();
      const answer = await exchange(bytes);
      const answered = [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1]);
      assert.deepEqual(answered, statuses, what);
      assert.ok((await journey.service.rowCount()) > rows, what);
    }
  });
});
