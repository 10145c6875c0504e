/** Steps that code submits to its server, replayed: by either SDK, each kind is compared. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client as QstashClient } from "@upstash/qstash";
import { Client as WorkflowClient } from "@upstash/workflow";
import { createWorkflow, serveMany } from "@upstash/workflow/cloudflare";
import { Client, createWorkflow as createOwn, serveMany as serveOwn } from "../../sdk/src/sdk.ts";
import { devCredentials } from "../../src/operations/account/public-credentials.ts";
import { Command } from "../support/command.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { until } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { Terminal } from "../support/terminal.ts";
import { WorkflowEndpoint } from "../support/workflow-endpoint.ts";

const endings: (() => unknown)[] = [];
const scope = { after: (end: () => unknown) => void endings.push(end) };
const folder = freshFolder(scope);
const terminal = new Terminal(folder);
const { token } = devCredentials();
let url = "";
let port = "";
let destination: DestinationServer;
let endpoint: WorkflowEndpoint;

before(async () => {
  destination = await DestinationServer.startFor(scope, () => ({ body: "fine" }));
  endpoint = await WorkflowEndpoint.start();
  scope.after(() => endpoint.close());
  url = await Command.serve(scope, ["--data", join(folder, ".postrider")], {}, "dev").url();
  port = String(await freePort());
});

after(async () => {
  for (const end of endings.toReversed()) await end();
});

/** What both SDKs offer; each has its own types for it. */
interface EitherContext {
  run(name: string, work: () => unknown): Promise<unknown>;
  sleep(name: string, seconds: number): Promise<void>;
  call(name: string, request: { url: string; method: "POST" }): Promise<unknown>;
  waitForEvent(name: string, event: string, options: { timeout: string }): Promise<unknown>;
  notify(name: string, event: string, data: unknown): Promise<unknown>;
  invoke(name: string, settings: { workflow: unknown; body: string }): Promise<unknown>;
}

/** A workflow with every kind of step; `changed` replaces the name of one. */
function order(child: unknown, event: string, changed: Readonly<Record<string, string>> = {}) {
  const named = (name: string): string => changed[name] ?? name;
  return async (context: EitherContext) => {
    await context.run(named("reserve"), () => 7);
    await Promise.all([
      context.run(named("left"), () => 1),
      context.sleep(named("nap"), 1),
      context.call(named("ask"), { url: `${destination.url}/beside`, method: "POST" }),
    ]);
    await context.sleep(named("rest"), 1);
    await context.call(named("order it"), { url: `${destination.url}/call`, method: "POST" });
    await context.waitForEvent(named("packed"), event, { timeout: "1h" });
    await context.notify(named("tell"), "nobody-waits", { a: 1 });
    await context.invoke(named("bill"), { workflow: child, body: "12" });
    if (changed["more"] !== undefined) await context.run("more", () => 1);
    return "done";
  };
}

interface Sdk {
  readonly name: string;
  trigger(workflow: string): Promise<{ readonly workflowRunId: string }>;
  /** Serves it with a server at that address, and answers its URL. */
  serve(path: string, server: string, event: string, changed?: Record<string, string>): string;
}

const SDKS: readonly Sdk[] = [
  {
    name: "ours",
    trigger: (workflow) => new Client({ baseUrl: url, token }).workflow.trigger({ url: workflow }),
    serve: (path, baseUrl, event, changed) => {
      const options = { client: { baseUrl, token }, receiver: false } as const;
      type Own = Parameters<typeof createOwn>[0];
      const child = createOwn(async (context) => context.run("child", () => 3), options);
      const main = createOwn(order(child, event, changed) as unknown as Own, options);
      const handler = serveOwn({ main, child });
      endpoint.serve(`${path}/child`, handler);
      return endpoint.serve(`${path}/main`, handler);
    },
  },
  {
    name: "the public one",
    trigger: (workflow) => new WorkflowClient({ baseUrl: url, token }).trigger({ url: workflow }),
    serve: (path, baseUrl, event, changed) => {
      const child = createWorkflow(async (context) => context.run("child", () => 3));
      type Main = Parameters<typeof createWorkflow>[0];
      const main = createWorkflow(order(child, event, changed) as unknown as Main);
      const qstashClient = new QstashClient({ baseUrl, token });
      const { fetch: answer } = serveMany({ main, child }, { qstashClient });
      endpoint.serve(`${path}/child`, (request) => answer(request, {}));
      return endpoint.serve(`${path}/main`, (request) => answer(request, {}));
    },
  },
];

/** Kinds of steps, with what the code does in their place; each with one of the SDKs. */
const CHANGES = [
  ["nap", "siesta", 3],
  ["ask", "beg", 4],
  ["rest", "pause", 5],
  ["order it", "cancel it", 6],
  ["packed", "sent", 7],
  ["tell", "shout", 8],
  ["bill", "charge", 9],
] as const;

for (const [nth, sdk] of SDKS.entries()) {
  test(`every kind of step is compared: ${sdk.name}`, async () => {
    const event = `packed-${nth}`;
    const recorded = sdk.serve(`/sdk-${nth}`, url, event);
    const { workflowRunId: run } = await sdk.trigger(recorded);
    await until(
      async () => (await terminal.says("runs", "waiters", event, "--quiet")) !== "",
      "the run waits",
    );
    await terminal.says("notify", event);
    const ended = ["runs", "list", "--run-state", "RUN_SUCCESS", "--quiet"];
    await until(async () => (await terminal.says(...ended)).includes(run), "the run has ended");
    const file = `run-${nth}.json`;
    await terminal.says("export", run, "--out", file);

    const server = `http://127.0.0.1:${port}`;
    const calls = destination.requests.length;
    const replay = (to: string): string[] => ["replay", file, "--to", to, "--listen", port];
    const { output, errors } = await terminal.run(replay(sdk.serve(`/same-${nth}`, server, event)));
    const compared = output.split("\n").filter((line) => line.endsWith(" same"));
    const seen = new Set(compared.map((line) => line.split(":")[0]!.replaceAll(/ +/g, " ")));
    const kinds = ["Run reserve", "Run left", "SleepFor nap", "Call ask", "SleepFor rest"];
    const later = ["Call order it", "Wait packed", "Notify tell", "Invoke bill"];
    const steps = [...kinds, ...later].map((kind, index) => `step ${index + 1} ${kind}`);
    assert.deepEqual([...seen], [...steps, "end the end, RUN_SUCCESS"], output);
    assert.match(output, /Your code takes the recorded steps\.\n$/);
    assert.match(errors, /not done: POST \/v2\/notify\/nobody-waits/);
    assert.equal(destination.requests.length, calls);

    for (const [from, to, step] of CHANGES.filter((_, index) => index % 2 === nth)) {
      const path = sdk.serve(`/${from.replace(" ", "-")}-${nth}`, server, event, { [from]: to });
      const differs = await terminal.run(replay(path), 6);
      assert.match(differs.errors, new RegExp(`it differs at step ${step}$`, "m"), from);
      assert.match(differs.output, new RegExp(`${from}: differs \\(.* ${to}\\)$`, "m"));
    }
    const longer = await terminal.run(
      replay(sdk.serve(`/more-${nth}`, server, event, { more: "" })),
      6,
    );
    assert.match(longer.output, /^end +the end, RUN_SUCCESS: differs \(Run more\)$/m);
  });
}

test("a port that is taken is named, with what to do", async () => {
  const [file, taken] = ["run-0.json", new URL(url).port];
  const words = ["replay", file, "--to", `${endpoint.url}/sdk-0/main`, "--listen", taken];
  const { output, errors } = await terminal.run(words);
  assert.match(errors, new RegExp(`port ${taken} is taken: .* --listen`));
  assert.match(output, /Your code takes the recorded steps\. Not compared: \d+\.\n$/);
});
