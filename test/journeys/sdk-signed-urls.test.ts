/** A delivery is taken by the endpoint that it was signed for, and by no other. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client, type Context, Receiver, serve, type ServeOptions } from "../../sdk/src/sdk.ts";
import { RewritingProxy } from "../support/rewriting-proxy.ts";
import { eventually } from "../support/eventually.ts";
import { TestService } from "../support/service-harness.ts";
import { WorkflowEndpoint } from "../support/workflow-endpoint.ts";

let service: TestService;
let endpoint: WorkflowEndpoint;
const proxies: RewritingProxy[] = [];
before(async () => {
  service = await TestService.start();
  endpoint = await WorkflowEndpoint.start();
});
after(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await endpoint.close();
  await service.stop();
});

const client = () => ({ baseUrl: service.url, token: service.token });

async function twoSteps(context: Context): Promise<number> {
  const one = await context.run("one", () => 1);
  return context.run("two", () => one + 1);
}

/** Serves a workflow that verifies what is delivered to it; answers its URL without a proxy. */
function serveAt(path: string, options: ServeOptions<unknown> = {}): string {
  const receiver = new Receiver(service.credentials);
  return endpoint.serve(path, serve(twoSteps, { client: client(), receiver, ...options }));
}

async function proxyTo(target: string, tellsHost: boolean): Promise<string> {
  const proxy = await RewritingProxy.start({ target, tellsHost });
  proxies.push(proxy);
  return proxy.url;
}

/** The state of a run, once it has ended. */
async function endOf(url: string): Promise<string> {
  const { workflow } = new Client(client());
  const { workflowRunId } = await workflow.trigger({ url, retries: 0 });
  return eventually(async () => {
    const [row] = await service.select(
      `SELECT phase FROM runs WHERE run_id = '${workflowRunId}' AND phase > 0`,
    );
    return row === undefined ? null : ["", "success", "failed"][Number(row["phase"])]!;
  }, `the end of ${workflowRunId}`);
}

const answersTo = (path: string) => endpoint.answers.filter((answer) => answer.path === path);

test("deliveries come through, with and without a proxy that tells which host was called", async () => {
  assert.equal(await endOf(serveAt("/plain")), "success");
  serveAt("/told", { trustProxy: true });
  assert.equal(await endOf(`${await proxyTo(endpoint.url, true)}/told?x=1`), "success");
  serveAt("/untrusted");
  assert.equal(await endOf(`${await proxyTo(endpoint.url, true)}/untrusted`), "failed");
});

test("where a proxy tells nothing, the refusal says which option helps", async () => {
  const proxy = await proxyTo(endpoint.url, false);
  serveAt("/silent");
  assert.equal(await endOf(`${proxy}/silent`), "failed");
  const { message } = JSON.parse(answersTo("/silent")[0]!.text) as { message: string };
  assert.ok(message.includes(`is for ${proxy}/silent, not for ${endpoint.url}/silent`), message);
  assert.match(message, /give that as url in the options of serve/);
  serveAt("/silent", { url: `${proxy}/silent` });
  assert.equal(await endOf(`${proxy}/silent`), "success");
});

test("where a proxy changes the path, the option says the path", async () => {
  const proxy = await proxyTo(`${endpoint.url}/inside`, true);
  serveAt("/inside/flow");
  assert.equal(await endOf(`${proxy}/flow`), "failed");
  serveAt("/inside/flow", { url: (request) => `${proxy}/${request.url.split("/").at(-1)}` });
  assert.equal(await endOf(`${proxy}/flow`), "success");
});

test("a delivery that was signed for one endpoint is not taken by another", async () => {
  assert.equal(await endOf(serveAt("/one")), "success");
  const other = serveAt("/other");
  const delivery = endpoint.to("/one")[0]!;
  const replay = (url: string, more: Record<string, string> = {}): Promise<Response> => {
    const { host: _, connection: __, "content-length": ___, ...headers } = delivery.headers;
    return fetch(url, { method: "POST", headers: { ...headers, ...more }, body: delivery.body });
  };
  const answer = await replay(other);
  assert.equal(answer.status, 403);
  assert.match(await answer.text(), /\/one, not for .*\/other/);
  // The same path of another application, whose URL is known to it.
  const own = serveAt("/one", { url: "https://app.example/one" });
  assert.equal((await replay(own)).status, 403);
  assert.equal((await replay(own, { "X-Forwarded-Host": new URL(own).host })).status, 403);
});
