/** The SDK as it is published: packed, unpacked, and imported by a program that has nothing else. */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DestinationServer } from "../support/destination-server.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const execute = promisify(execFile);
const COMPILER = join(ROOT, "node_modules/typescript/bin/tsc");
let folder = "";
let consumer = "";

before(() => {
  folder = mkdtempSync(join(tmpdir(), "postrider-package-"));
  consumer = join(folder, "consumer");
  for (const name of ["package.json", "README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md"]) {
    cpSync(join(ROOT, name), join(folder, name));
  }
  const outDir = join(folder, "dist");
  run(process.execPath, [COMPILER, "--project", "tsconfig.build.json", "--outDir", outDir], ROOT);
  run("npm", ["pack", "--silent", "--pack-destination", folder], folder);
  const installed = join(consumer, "node_modules/postrider");
  mkdirSync(installed, { recursive: true });
  const [tarball] = globSync("*.tgz", { cwd: folder });
  run("tar", ["-xzf", tarball!, "-C", installed, "--strip-components=1"], folder);
});

after(() => rmSync(folder, { recursive: true, force: true }));

const PROGRAM = `
import { Client, Receiver } from "postrider/sdk";
for (const name of ["express", "fastify", "h3", "hono", "next"]) await import(\`postrider/sdk/\${name}\`);
const client = new Client();
const { messageId } = await client.publishJSON({ url: "https://example.com/", body: { a: 1 } });
const receiver = new Receiver({ currentSigningKey: "sig_a" });
const refusal = await receiver.verify({ signature: "a.b.c", body: "" }).catch((error) => error.name);
console.log(JSON.stringify([messageId, refusal]));
`;

for (const node of nodes()) {
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

const TYPED_PROGRAM = `
import { Client, serve, type Page, type LogEntry } from "postrider/sdk";
import { serve as serveNext } from "postrider/sdk/next";
import { startServer, type TestServer } from "postrider/sdk/testing";
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

/** This Node, and every other version that this machine calls by its name. */
function nodes(): { path: string; version: string }[] {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = new Map([[process.version, process.execPath]]);
  for (const path of folders.map((place) => join(place, "node"))) {
    const { stdout, status } = spawnSync(path, ["--version"], { encoding: "utf8" });
    const version = stdout?.trim();
    if (status === 0 && !found.has(version)) found.set(version, path);
  }
  return Array.from(found, ([version, path]) => ({ version, path }));
}

function run(command: string, parameters: readonly string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(command, parameters, { cwd, encoding: "utf8" });
  assert.equal(status, 0, `${command}: ${stdout}${stderr}`);
}
