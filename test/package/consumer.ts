/** A project that uses the packages. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { emptyProject, NEWEST_NODE, NODES, npm, run, tryNpm } from "./checkout.ts";

/** A new project in which these were installed on the oldest Node at hand. */
export function project(
  home: string,
  packages: readonly string[],
  options: readonly string[] = [],
): void {
  emptyProject(home);
  npm(["install", ...options, ...packages], home);
}

/** What runs the server where Node is too old: a checkout fetches a newer one, a package cannot. */
type OldNodes = "refused" | "helped";

export function bothWork(home: string, oldNodes: OldNodes = "refused"): void {
  serverWorks(home, oldNodes);
  const program = 'import { Client } from "@postrider/sdk"; console.log(typeof Client);';
  writeFileSync(join(home, "import.mjs"), program);
  for (const { path } of NODES) assert.equal(run(path, ["import.mjs"], home), "function\n");
}

const SERVER_PROGRAM = `
import { startServer } from "postrider/testing";
const server = await startServer();
const headers = { authorization: "Bearer " + server.token };
console.log((await fetch(server.url + "/v2/messages", { headers })).status);
await server.stop();
`;

export function serverWorks(home: string, oldNodes: OldNodes = "refused"): void {
  for (const node of NODES) {
    const { status, stdout, stderr } = tryNpm("npx", ["postrider", "--version"], home, node);
    const [major = 0, minor = 0] = node.version.slice(1).split(".").map(Number);
    const isNewEnough = major > 22 || (major === 22 && minor >= 13);
    const runs = isNewEnough || oldNodes === "helped";
    assert.equal(status, runs ? 0 : 1, stderr);
    if (runs) assert.equal(stdout, `${manifest.version}\n`);
    else assert.match(stderr, /^postrider: Postrider needs Node 22\.13 or newer; this is v\d/m);
  }
  writeFileSync(join(home, "server.mjs"), SERVER_PROGRAM);
  assert.equal(run(NEWEST_NODE.path, ["server.mjs"], home), "200\n");
}
