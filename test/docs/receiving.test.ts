/** What docs/guides/receiving.md says of deliveries, held to deliveries that were made. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { DELIVERY_HEADERS } from "../../src/delivery/http/outbound-request.ts";
import { ROOT } from "../house/sources.ts";
import { DestinationServer, type Received } from "../support/destination-server.ts";
import { TestService } from "../support/service-harness.ts";
import { readBlocks } from "./blocks.ts";

const PAGE = "docs/guides/receiving.md";
const text = readFileSync(join(ROOT, PAGE), "utf8");
const blocks = readBlocks(PAGE);
const folder = mkdtempSync(join(tmpdir(), "postrider-receiving-"));
const noPython = spawnSync("python3", ["--version"]).status === 0 ? false : "there is no python3";
let service: TestService;
let destination: DestinationServer;
let delivery: Received;
let url: string;

before(async () => {
  destination = await DestinationServer.start((request) =>
    request.url === "/fails" ? { status: 500, body: "sorry" } : { body: "thanks" },
  );
  service = await TestService.start();
  url = `${destination.url}/welcome`;
  await service.publish(url, {}, '{"user": 42}');
  [delivery] = (await destination.received("/welcome")) as [Received];
});

after(async () => {
  await service.stop();
  await destination.close();
  rmSync(folder, { recursive: true, force: true });
});

type Case = readonly [signature: string, body: string, url: string];

/** A delivery as it came, and what must not pass for one. */
function cases(): Readonly<Record<"right" | "wrong", readonly Case[]>> {
  const signature = delivery.headers["svc-signature"]!;
  const body = delivery.body.toString();
  const [head, claims, mac] = signature.split(".") as [string, string, string];
  const forged = Buffer.from(claims, "base64url").toString().replace("welcome", "elsewhere");
  const other = `${destination.url}/elsewhere`;
  return {
    right: [[signature, body, url]],
    wrong: [
      [signature, `${body} `, url],
      [signature, body, other],
      [`${head}.${Buffer.from(forged).toString("base64url")}.${mac}`, body, other],
      [`${head}.${claims}.`, body, url],
      ["nothing", body, url],
    ],
  };
}

function codeOf(name: string): string {
  const block = blocks.find(({ example }) => example === name);
  assert.ok(block, name);
  return block.code;
}

const keys = (): Record<string, string> => ({
  POSTRIDER_CURRENT_SIGNING_KEY: service.credentials.currentSigningKey,
  POSTRIDER_NEXT_SIGNING_KEY: service.credentials.nextSigningKey,
});

test("the check in TypeScript accepts deliveries and nothing else", async () => {
  const file = join(folder, "verify.ts");
  writeFileSync(file, codeOf("verify"));
  Object.assign(process.env, keys());
  const { isAuthentic } = (await import(pathToFileURL(file).href)) as {
    isAuthentic: (signature: string, body: Uint8Array, url: string) => boolean;
  };
  const { right, wrong } = cases();
  const check = ([signature, body, to]: Case): boolean =>
    isAuthentic(signature, Buffer.from(body), to);
  assert.deepEqual(right.map(check), [true]);
  assert.deepEqual(wrong.map(check), [false, false, false, false, false]);
});

test("the check in Python accepts deliveries and nothing else", { skip: noPython }, () => {
  const { right, wrong } = cases();
  const program = `${codeOf("verify-python")}
import sys
for signature, body, url in json.load(sys.stdin):
    print(is_authentic(signature, body.encode(), url))
`;
  const { status, stdout, stderr } = spawnSync("python3", ["-c", program], {
    input: JSON.stringify([...right, ...wrong]),
    env: { ...process.env, ...keys() },
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  assert.deepEqual(stdout.trim().split("\n"), [
    "True",
    "False",
    "False",
    "False",
    "False",
    "False",
  ]);
});

test("the page lists the headers that arrive, and they do", () => {
  const listed = [...text.matchAll(/^\| `(Svc-[\w-]+)` /gm)].map((match) =>
    match[1]!.toLowerCase(),
  );
  const known = DELIVERY_HEADERS.map(({ name }) => `svc-${name.toLowerCase()}`);
  assert.deepEqual(listed, known);
  const arrived = Object.keys(delivery.headers).filter((name) => name.startsWith("svc-"));
  const sometimes = ["svc-topic-name", "svc-schedule-id"];
  assert.deepEqual(
    arrived.toSorted(),
    known.filter((name) => !sometimes.includes(name)).toSorted(),
  );
});

function claimsOf({ headers }: Received): string[] {
  const payload = headers["svc-signature"]!.split(".")[1]!;
  return Object.keys(JSON.parse(Buffer.from(payload, "base64url").toString()) as object);
}

test("the page lists the claims of a signature, and which only a run has", async () => {
  const rows = [...text.matchAll(/^\| `([a-z]{3,4})` +\| (.*)/gm)];
  const ofRuns = rows.filter(([, , check]) => check!.startsWith("only to the endpoint of a run"));
  const plain = rows.filter((row) => !ofRuns.includes(row));
  assert.deepEqual(
    plain.map(([, name]) => name),
    claimsOf(delivery),
  );
  await service.call("POST", `/v2/trigger/${destination.url}/run`);
  const [step] = (await destination.received("/run")) as [Received];
  assert.deepEqual(
    rows.map(([, name]) => name),
    claimsOf(step),
  );
});

const shapeOf = (body: Record<string, unknown>): string[] =>
  Object.entries(body).map(([name, value]) => `${name}: ${typeof value}`);

for (const shape of ["callback", "failure-callback"]) {
  test(`the body of a ${shape} is as shown`, async () => {
    const path = `/${shape}`;
    const from = shape === "callback" ? url : `${destination.url}/fails`;
    const headers = {
      "Content-Type": "application/json",
      "Svc-Retries": "0",
      [`Svc-${shape}`]: destination.url + path,
    };
    await service.publish(from, headers, '{"user": 42}');
    const [report] = (await destination.received(path)) as [Received];
    const shown = new RegExp(`<!-- shape: ${shape} -->\\s*\`\`\`json\\n(.*?)\`\`\``, "s").exec(
      text,
    );
    const expected = JSON.parse(shown![1]!) as Record<string, unknown>;
    const actual = JSON.parse(report.body.toString()) as Record<string, unknown>;
    assert.deepEqual(shapeOf(actual), shapeOf(expected));
    for (const name of ["status", "body", "sourceBody", "method"]) {
      assert.equal(actual[name], expected[name], name);
    }
  });
}
