/** A workflow that runs to its end inside an application, with deliveries that are signed. */
import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type Context, Receiver, type ServeOptions } from "../../sdk/src/sdk.ts";
import { clientOf } from "./play-workflow.ts";
import { sign } from "./stub-run.ts";
import { WorkflowStub } from "./workflow-stub.ts";

export const KEY = "sig_frameworks";

export async function greet(context: Context<{ name: string }>): Promise<string> {
  const [hello] = await Promise.all([
    context.run("hello", () => "Hällo"),
    context.sleep("rest", 1),
  ]);
  const { status } = await context.call("ask", { url: "https://other.example/" });
  return `${hello} ${context.payload.name} ${status} ${context.headers.get("x-own")}`;
}

export type Options = ServeOptions<{ name: string }>;

/** Runs a workflow to its end on an application; `start` makes it and says how it is reached. */
export async function playOn(
  start: (options: Options) => (request: Request) => Promise<Response>,
  address = "http://app.example/flows/greet",
  contentType = "application/json",
): Promise<WorkflowStub> {
  const stub: WorkflowStub = new WorkflowStub({
    endpoints: { [address]: (request) => reach(request) },
    signingKey: KEY,
    retries: 0,
  });
  const receiver = new Receiver({ currentSigningKey: KEY });
  const reach = start({ client: clientOf(stub), receiver });
  const headers = { "Svc-Forward-X-Own": "own", "Svc-Forward-Content-Type": contentType };
  stub.trigger(address, '{"name":"Wörld"}', headers);
  await stub.drain();
  if ([...stub.runs.values()][0]?.state === "success") await assertForeignRefused(reach, address);
  return stub;
}

/** Signatures of plain messages, for any URL, are neither steps nor do they start a run here. */
async function assertForeignRefused(
  reach: (request: Request) => Promise<Response>,
  address: string,
): Promise<void> {
  const body = "[]";
  for (const url of [address, "http://evil.example/flows/greet"]) {
    for (const disguise of [{}, { "Svc-Workflow-RunId": "x", "Svc-Workflow-Sdk-Version": "1" }]) {
      const signed = { "Svc-Signature": sign(body, KEY, url), "X-Forwarded-Host": "evil.example" };
      const headers = { "Content-Type": "application/json", ...signed, ...disguise };
      const response = await reach(new Request(address, { method: "POST", headers, body }));
      assert.equal(response.status, 403, await response.text());
    }
  }
}

export function assertGreeted(stub: WorkflowStub): void {
  const run = [...stub.runs.values()][0]!;
  assert.equal(run.state, "success", stub.deliveries.at(-1)?.body);
  assert.equal(run.result, '"Hällo Wörld 200 own"');
}

/** Serves on a port for as long as the run takes. */
export async function playOnServer(
  start: (options: Options) => RequestListener,
  contentType?: string,
): Promise<WorkflowStub> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  try {
    const listen = (options: Options) => {
      server.on("request", start(options));
      return (request: Request) => fetch(request);
    };
    return await playOn(listen, `http://127.0.0.1:${port}/flows/greet`, contentType);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
