/**
 * Plays the example of each command in a folder of its own, one after the other, and yields what it prints. `npm run
 * recording` stores that for the reference, and a test compares it with a run of today.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "../../sdk/src/sdk.ts";
import { COMMANDS } from "../../src/cli/command-table.ts";
import { Command } from "../support/command.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { until } from "../support/eventually.ts";
import { call } from "../support/http-call.ts";
import type { Scope } from "../support/scope.ts";
import { DEV_TOKEN } from "../support/service-harness.ts";
import { Terminal } from "../support/terminal.ts";
import { WorkflowEndpoint } from "../support/workflow-endpoint.ts";

export interface Printed {
  readonly name: string;
  readonly output: string;
}

/** Where commands are typed, and what is there for them. */
interface Scene {
  readonly folder: string;
  readonly data: string;
  readonly url: string;
  readonly destination: string;
  readonly workflow: string;
  readonly terminal: Terminal;
}

/** Done before an example, so that it has something to show. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  "runs list": ["trigger", "https://example.com/workflow"],
  "dlq list": ["publish", "https://example.com/fail", "--retries", "0"],
  "schedules list": ["schedules", "create", "https://example.com/daily", "@daily", "--id", "daily"],
};
/** Commands that need the folder to be empty, or make it so. */
const EMPTY_FOLDER = ["reset", "restore", "move"];

export async function* playExamples(scope: Scope): AsyncGenerator<Printed> {
  const scene = await setUp(scope);
  const { terminal, data, destination, workflow, url } = scene;
  const key = ["--flow-key", "acme", "--parallelism", "2", "--quiet"];
  const id = (await terminal.says("publish", `${destination}/hook`, ...key)).trim();
  let accountId = "";
  const put = (word: string): string =>
    word
      .replace("https://example.com/workflow", workflow)
      .replace("https://example.com", destination)
      .replace("http://127.0.0.1:8080", url)
      .replace("http://localhost:3000", destination)
      .replace(/^ID$/, accountId)
      .replace("3ZK2V9", id.slice(-6));
  const masks = new Map<string, string>();
  for (const { example, who, name } of COMMANDS) {
    if (who === undefined || who === "server" || EMPTY_FOLDER.includes(name)) continue;
    const before = BEFORE[name];
    if (before !== undefined) await terminal.run(before.map(put));
    await untilQuiet(url);
    const store = who === "operator" || who === "store" ? ["--data", data] : [];
    const { output, errors } = await terminal.run([...wordsOf(example).map(put), ...store]);
    if (name === "account create") accountId = /^id +(\S+)$/m.exec(output)![1]!;
    yield { name, output: cut(name, masked(output === "" ? errors : output, scene, masks)) };
  }
}

async function setUp(scope: Scope): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "postrider-examples-"));
  scope.after(() => rmSync(folder, { recursive: true, force: true }));
  const destination = await DestinationServer.startFor(scope, ({ url: path }) =>
    path === "/fail" ? { status: 500, body: "no stock" } : {},
  );
  const data = join(folder, ".postrider");
  const url = await Command.serve(scope, ["--data", data], {}, "dev").url();
  const endpoint = await WorkflowEndpoint.start();
  scope.after(() => endpoint.close());
  const client = { baseUrl: url, token: DEV_TOKEN };
  const options = { receiver: false, url: `${endpoint.url}/workflow`, client } as const;
  const workflow = endpoint.serve(
    "/workflow",
    serve(async (context) => {
      await context.run("charge", () => 42);
      await context.waitForEvent("packed", "packed-1", { timeout: "30d" });
    }, options),
  );
  writeFileSync(join(folder, "token.txt"), DEV_TOKEN);
  const item = { url: `${destination.url}/a`, body: { n: 1 } };
  writeFileSync(join(folder, "messages.jsonl"), `${JSON.stringify(item)}\n`);
  const terminal = new Terminal(folder, { TZ: "UTC" });
  await terminal.run(["groups", "add", "news", `${destination.url}/other`]);
  return { folder, data, url, destination: destination.url, workflow, terminal };
}

/** Nothing is under way. */
async function untilQuiet(url: string): Promise<void> {
  await until(async () => {
    const { json } = await call(url, "GET", "/v2/messages", { token: DEV_TOKEN });
    return (json["messages"] as unknown[]).length === 0;
  }, "every message to end");
}

/** The words of a line, as a shell would read them. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? "",
  );
}

/** With sample ids, addresses and times in place of those of this run. */
function masked(printed: string, scene: Scene, masks: Map<string, string>): string {
  const { folder, url, destination, workflow } = scene;
  const text = [
    [workflow, "https://example.com/workflow"],
    [destination, "https://example.com"],
    [url, "http://127.0.0.1:8080"],
    [folder, "~"],
  ].reduce((left, [own, shown]) => withWidth(left, own!, shown!), printed);
  return text
    .replaceAll(IDS, (id) => sampleOf(id, masks))
    .replaceAll(/\b\d{13}-(?=\d)/g, "1769850000000-")
    .replaceAll(/\beyJ[\w+/]{40,}={0,2}/g, "eyJVc2VySUQiOi...")
    .replaceAll(/^(password +)\S+/gm, "$1...")
    .replaceAll(
      /^(node_\S+ +)(\S+ *)/gm,
      (_all, id: string, host: string) => id + "app".padEnd(host.length),
    )
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "2026-01-31 09:00:00")
    .replaceAll(/^(creation_time +)\d+/gm, "$11769850000")
    .trimEnd();
}

/** With a sample of how long it took, which a simulation computes; a long output is cut. */
function cut(name: string, text: string): string {
  const isComputed = name.startsWith("simulate");
  const shown = isComputed ? text : text.replaceAll(/\b\d+(?:\.\d+)? m?s\b/g, "12 ms");
  const lines = shown.split("\n");
  const count = LINES_MAX_OF[name] ?? LINES_MAX;
  return lines.length <= count ? shown : [...lines.slice(0, count), "..."].join("\n");
}

/** In a table the column keeps its width. */
function withWidth(text: string, own: string, shown: string): string {
  const found = new RegExp(`${own.replaceAll(".", "\\.")}(\\S*)( *)`, "g");
  return text.replaceAll(found, (_all, rest: string, blanks: string) => {
    const added =
      blanks.length < 2 ? blanks : blanks.padEnd(blanks.length + own.length - shown.length);
    return `${shown}${rest}${added}`;
  });
}

const IDS =
  /\b(?:(?:msg|node)_[0-9A-Z]{26}|wfr_[\w-]{22}|sig_\w{28}|[\da-f]{16}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/g;

/** The same for the same id, and as long. */
function sampleOf(id: string, masks: Map<string, string>): string {
  const number = String(masks.size + 1);
  const [kind] = /^.*?_/.exec(id) ?? [];
  const sample = kind !== undefined ? `${kind}${SAMPLE}` : id.includes("-") ? UUID : KEY_ID;
  const known = masks.get(id) ?? `${sample.slice(0, id.length - number.length)}${number}`;
  masks.set(id, known);
  return known;
}

const KEY_ID = "5f0c2d9a4b7e8310";
const UUID = "00000000-0000-4000-8000-000000000000";
const SAMPLE = "01KGA0ZS00EXAMPLE000000000000000";
const LINES_MAX = 16;
/** Of outputs whose rest is the work of background chores, or grows with every command. */
const LINES_MAX_OF: Readonly<Record<string, number>> = { verify: 2, completion: 4 };

/** What must be the same in each run: the words, but neither numbers nor widths. */
export function shapeOf(output: string): string {
  const words = output.replaceAll(/\S*\d\S*/g, "#").replaceAll(/ {2,}/g, "  ");
  return words.replaceAll(/ +$/gm, "");
}
