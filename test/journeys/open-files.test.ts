/** A process that may open few files sends what it accepted, however many connections callers open. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { Command } from "../support/command.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { until } from "../support/eventually.ts";
import { freshFolder } from "../support/fresh-folder.ts";

const TOKEN = "a-token-of-a-service-with-few-files";
const OPEN_FILES_MAX = 160;
const CALLERS = 200;
const MESSAGES = 40;

test("connections of callers leave open files for deliveries", async (t) => {
  const destination = await DestinationServer.startFor(t, () => ({ delayMs: 200 }));
  const { url, warning } = await serveWithFewFiles(t);
  assert.match(warning, /at most 160 files may be open/);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  assert.equal(await publish(agent, url, `${destination.url}/first`), 200);

  // Only so many are told why at once; more than these are closed without a word.
  const told = await crowd(t, url);
  for (const answer of told) assert.match(answer, /^HTTP\/1\.1 503 [^]*Retry-After: 1\r\n/);

  for (let index = 0; index < MESSAGES; index++) {
    assert.equal(await publish(agent, url, `${destination.url}/${index}`), 200);
  }
  await until(() => destination.requests.length > MESSAGES, "every message arrives");
  const paths = destination.requests.map(({ url: path }) => path);
  assert.equal(new Set(paths).size, MESSAGES + 1);
});

async function serveWithFewFiles(t: TestContext): Promise<{ url: string; warning: string }> {
  const flags = ["--data", freshFolder(t), "--egress-allow", "127.0.0.0/8"];
  const environment = { POSTRIDER_TOKEN: TOKEN };
  const service = Command.serve(t, flags, environment, "serve", OPEN_FILES_MAX);
  const url = await service.url();
  return { url, warning: (await service.says(/[^\n]*ulimit -n[^\n]*/))[0] };
}

/** The first attempt is the only one: a failure of it would be a dead letter. */
async function publish(agent: Agent, url: string, destination: string): Promise<number> {
  const headers = { Authorization: `Bearer ${TOKEN}`, "Upstash-Retries": "0" };
  const sent = request(`${url}/v2/publish/${destination}`, { agent, method: "POST", headers });
  sent.end("body");
  const [response] = await once(sent, "response");
  await text(response);
  return response.statusCode;
}

/** Opens connections that say nothing, and returns what some of those that were refused were told. */
async function crowd(t: TestContext, url: string): Promise<string[]> {
  const { hostname, port } = new URL(url);
  const refused: string[] = [];
  const opened = Array.from({ length: CALLERS }, async () => {
    const socket = connect(Number(port), hostname);
    t.after(() => socket.destroy());
    socket.on("error", () => undefined);
    let answer = "";
    socket.on("data", (chunk) => (answer += String(chunk)));
    socket.on("end", () => refused.push(answer));
    await once(socket, "connect");
  });
  await Promise.all(opened);
  const told = (): string[] => refused.filter((answer) => answer !== "");
  await until(() => told().length > 0, "a caller is told why");
  return told();
}
