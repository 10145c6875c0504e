/** Both packages as users get them, packed as they are published; installs.ts has the other ways. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import compilerManifest from "typescript/package.json" with { type: "json" };
import sdkManifest from "../../sdk/package.json" with { type: "json" };
import { ROOT } from "../house/sources.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { checkOut, NEWEST_NODE, NODES, npm, run } from "./checkout.ts";
import { bothWork, project } from "./consumer.ts";
import { firstMinutes, keysOfPackage } from "./first-minutes.ts";

const execute = promisify(execFile);
const COMPILER = join(ROOT, "node_modules/typescript/bin/tsc");
const folder = mkdtempSync(join(tmpdir(), "postrider-package-"));
const checkout = join(folder, "checkout");
const consumer = join(folder, "consumer");

before(() => {
  checkOut(checkout);
  symlinkSync(join(ROOT, "node_modules"), join(checkout, "node_modules"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

test("both are installed from what npm packs, and the SDK brings nothing along", () => {
  npm(["pack", "--workspace", "sdk"], checkout);
  npm(["pack"], checkout);
  const [sdk, server] = ["postrider-sdk-*.tgz", "postrider-[0-9]*.tgz"].map(
    (pattern) => globSync(pattern, { cwd: checkout })[0]!,
  );
  project(consumer, [join(checkout, sdk!)], ["--offline", "--engine-strict"]);
  const installed = globSync(["node_modules/*", "node_modules/@*/*"], { cwd: consumer });
  assert.deepEqual(installed.toSorted(), [
    "node_modules/@postrider",
    "node_modules/@postrider/sdk",
  ]);
  npm(["install", join(checkout, server!)], consumer);
  bothWork(consumer);
});

test("the SDK is installed from a fresh clone, for which npm fetches the compiler and no more", () => {
  const clone = join(folder, "clone");
  const home = join(folder, "of-the-clone");
  run("git", ["clone", "--quiet", `file://${checkout}`, clone], folder);
  for (const round of ["installed", "installed again"]) {
    rmSync(home, { recursive: true, force: true });
    project(home, [join(clone, "sdk")]);
    const program = 'import { Client } from "@postrider/sdk"; console.log(typeof Client);';
    writeFileSync(join(home, "import.mjs"), program);
    assert.equal(run(process.execPath, ["import.mjs"], home), "function\n", round);
  }
  assert.ok(!existsSync(join(clone, "node_modules")));
  assert.deepEqual(readdirSync(join(clone, ".cache")), [`typescript-${compilerManifest.version}`]);
});

test("the first minutes of a new user, with the packages alone", async () => {
  await firstMinutes(consumer, NEWEST_NODE);
});

test("the keys of dev in a terminal, with the packages alone", async (t) => {
  await keysOfPackage(t, consumer, NEWEST_NODE);
});

const PROGRAM = `
import { Client, Receiver } from "@postrider/sdk";
for (const name of ["express", "fastify", "h3", "hono", "next"]) await import(\`@postrider/sdk/\${name}\`);
const client = new Client();
const { messageId } = await client.publishJSON({ url: "https://example.com/", body: { a: 1 } });
const receiver = new Receiver({ currentSigningKey: "sig_a" });
const refusal = await receiver.verify({ signature: "a.b.c", body: "" }).catch((error) => error.name);
console.log(JSON.stringify([messageId, refusal]));
`;

for (const node of NODES) {
  test(`a program on Node ${node.version} imports it and publishes`, async () => {
    const service = await DestinationServer.start(() => ({ body: '{"messageId":"msg_1"}' }));
    const program = join(consumer, "program.mjs");
    writeFileSync(program, PROGRAM);
    const environment = { POSTRIDER_URL: service.url, POSTRIDER_TOKEN: "t" };
    const { stdout } = await execute(node.path, [program], { env: environment });
    await service.close();
    assert.deepEqual(JSON.parse(stdout), ["msg_1", "SignatureError"]);
    assert.equal(service.requests[0]?.url, "/v2/publish/https%3A%2F%2Fexample.com%2F");
  });
}

/** A runtime that has the web platform and nothing else: no module of Node, no `process`, no `Buffer`. */
const EDGE_RUNTIME = `
import { readFileSync } from "node:fs";
import { createContext, SourceTextModule } from "node:vm";
const WEB = ["AbortController", "AbortSignal", "Headers", "ReadableStream", "Request", "Response", "TextDecoder", "TextEncoder",
  "TransformStream", "URL", "URLSearchParams", "atob", "btoa", "clearTimeout", "console", "crypto", "queueMicrotask", "setTimeout"];
const fetch = async (url, { headers }) => Response.json({ messageId: new Headers(headers).get("authorization") });
const context = createContext({ fetch, ...Object.fromEntries(WEB.map((name) => [name, globalThis[name]])) });
const modules = new Map();
function load(url) {
  if (!modules.has(url)) modules.set(url, new SourceTextModule(readFileSync(new URL(url), "utf8"), { identifier: url, context }));
  return modules.get(url);
}
const loaded = {};
for (const url of process.argv.slice(2)) {
  const module = load(url);
  await module.link((name, { identifier }) => {
    if (!name.startsWith(".")) throw new Error(identifier + " imports " + name);
    return load(new URL(name, identifier).href);
  });
  await module.evaluate();
  Object.assign(loaded, module.namespace);
}
const client = new loaded.Client({ token: "t", baseUrl: "https://service.example" });
const { messageId } = await client.publishJSON({ url: "https://example.com/", body: { a: 1 } });
const receiver = new loaded.Receiver({ currentSigningKey: "sig_a" });
const refusal = await receiver.verify({ signature: "a.b.c", body: "" }).catch((error) => error.name);
console.log(JSON.stringify([messageId, refusal, modules.size]));
`;

test("it needs no module of Node, so that edge runtimes take it", () => {
  const runtime = join(consumer, "edge.mjs");
  writeFileSync(runtime, EDGE_RUNTIME);
  const installed = join(consumer, "node_modules/@postrider/sdk");
  const files = Object.values(sdkManifest.exports).flatMap((entry) =>
    typeof entry === "string" ? [] : [pathToFileURL(join(installed, entry.default)).href],
  );
  assert.equal(files.length, 6);
  const options = ["--experimental-vm-modules", "--no-warnings"];
  const output = run(process.execPath, [...options, runtime, ...files], consumer);
  const [messageId, refusal, count] = JSON.parse(output) as [string, string, number];
  assert.deepEqual([messageId, refusal], ["Bearer t", "SignatureError"]);
  assert.ok(count > files.length);
});

const TYPED_PROGRAM = `
import { Client, serve, type Page, type LogEntry } from "@postrider/sdk";
import { serve as serveNext } from "@postrider/sdk/next";
import { startServer, type TestServer } from "postrider/testing";
const client = new Client({ baseUrl: "http://127.0.0.1:8080", token: "t" });
export const one: string = (await client.publish({ url: "https://a/", body: "x" })).messageId;
export const many: readonly { url: string }[] = await client.publish({ urlGroup: "g" });
export const handler: (request: Request) => Promise<Response> = serve<{ a: number }>(async (context) => {
  const sum: number = await context.run("add", () => context.payload.a + 1);
  // @ts-expect-error: the payload has no such member
  return [sum, context.payload.b];
});
export const page: Page<LogEntry> = await client.logs.list({ state: ["ERROR"] });
export const { POST } = serveNext(async (context) => context.sleep("a", 1));
export const server: TestServer = await startServer();
await server.advance("1d");
// @ts-expect-error: a message needs a destination
await client.publish({ body: "x" });
// @ts-expect-error: there is no such setting
await client.publish({ url: "https://a/", retires: 3 });
`;

for (const [name, library, types] of [
  ["the web's types", "es2022,dom,dom.iterable,dom.asynciterable", []],
  ["Node's types", "es2024", ["node"]],
] as const) {
  test(`its types are understood in a project with ${name}`, () => {
    const source = join(consumer, "typed.mts");
    writeFileSync(source, TYPED_PROGRAM);
    const typeRoots = ["--typeRoots", join(ROOT, "node_modules/@types")];
    const libraries = ["--lib", library, "--types", types.join(",")];
    const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022"];
    run(process.execPath, [COMPILER, source, ...options, ...libraries, ...typeRoots], consumer);
  });
}
