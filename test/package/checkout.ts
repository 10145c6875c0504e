/** The repository as another machine gets it, and the programs that install from it. */
import assert from "node:assert/strict";
import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { repositoryFiles, ROOT } from "../house/sources.ts";

export interface NodeProgram {
  readonly path: string;
  readonly version: string;
}

/** This Node, and every other version that this machine calls by its name; the oldest first. */
export const NODES: readonly NodeProgram[] = nodes();
const OLDEST_NODE = NODES[0]!;
export const NEWEST_NODE = NODES.at(-1)!;

/** What an npm around the tests was told about where to find packages; the rest was about its own work. */
const PASSED_ON =
  /^npm_config_(cache|registry|userconfig|globalconfig|cafile|(https?_)?proxy|noproxy)$/;

/** A clone of what is here, committed or not, with nothing installed. */
export function checkOut(folder: string): void {
  for (const file of repositoryFiles()) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  const author = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
  run("git", ["init", "--quiet"], folder);
  run("git", ["add", "--all"], folder);
  run("git", [...author, "commit", "--quiet", "--message", "test: check out"], folder);
}

export function emptyProject(folder: string): void {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{"name":"consumer","private":true}');
}

/** Runs npm or npx as a user would; packages come from npm's cache where it holds them. */
export function tryNpm(
  command: "npm" | "npx",
  parameters: readonly string[],
  cwd: string,
  node: NodeProgram,
): SpawnSyncReturns<string> {
  return spawnSync(command, parameters, { cwd, env: npmEnvironment(node), encoding: "utf8" });
}

/** An environment in which npm runs on that Node. */
export function npmEnvironment(node: NodeProgram): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith("npm_") || PASSED_ON.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    PATH: `${dirname(node.path)}${delimiter}${process.env["PATH"]}`,
    npm_config_prefer_offline: "true",
  };
}

/** On the oldest Node at hand, which has the most to object to. */
export function npm(parameters: readonly string[], cwd: string): void {
  outputOf(tryNpm("npm", parameters, cwd, OLDEST_NODE), ["npm", ...parameters]);
}

export function run(command: string, parameters: readonly string[], cwd: string): string {
  const result = spawnSync(command, parameters, { cwd, encoding: "utf8" });
  return outputOf(result, [command, ...parameters]);
}

function outputOf(result: SpawnSyncReturns<string>, words: readonly string[]): string {
  const { status, stdout, stderr } = result;
  assert.equal(status, 0, `${words.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

function nodes(): NodeProgram[] {
  const found = new Map([[process.version, process.execPath]]);
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const path = join(folder, "node");
    const { stdout, status } = spawnSync(path, ["--version"], { encoding: "utf8" });
    const version = stdout?.trim();
    if (status === 0 && !found.has(version)) found.set(version, path);
  }
  const majorOf = ({ version }: NodeProgram): number => Number(/\d+/.exec(version)?.[0]);
  return Array.from(found, ([version, path]) => ({ version, path })).toSorted(
    (one, other) => majorOf(one) - majorOf(other),
  );
}
