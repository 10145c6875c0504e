/** The adapters inside the frameworks they are for, with deliveries that are signed. */
import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import express from "express";
import { Hono } from "hono";
import * as expressAdapter from "../../src/sdk/adapters/express.ts";
import * as honoAdapter from "../../src/sdk/adapters/hono.ts";
import * as nextAdapter from "../../src/sdk/adapters/next.ts";
import { type Context, createWorkflow, Receiver, type ServeOptions } from "../../src/sdk/sdk.ts";
import { clientOf } from "../support/play-workflow.ts";
import { WorkflowStub } from "../support/workflow-stub.ts";

const KEY = "sig_frameworks";

async function greet(context: Context<{ name: string }>): Promise<string> {
  const [hello] = await Promise.all([
    context.run("hello", () => "Hällo"),
    context.sleep("rest", 1),
  ]);
  const { status } = await context.call("ask", { url: "https://other.example/" });
  return `${hello} ${context.payload.name} ${status} ${context.headers.get("x-own")}`;
}

type Options = ServeOptions<{ name: string }>;

/** Runs a workflow to its end on an application; `start` makes it and says how it is reached. */
async function playOn(
  start: (options: Options) => (request: Request) => Promise<Response>,
  address = "http://app.example/flows/greet",
): Promise<WorkflowStub> {
  const stub: WorkflowStub = new WorkflowStub({
    endpoints: { [address]: (request) => reach(request) },
    signingKey: KEY,
    retries: 0,
  });
  const receiver = new Receiver({ currentSigningKey: KEY });
  const reach = start({ client: clientOf(stub), receiver });
  const headers = { "Svc-Forward-X-Own": "own", "Svc-Forward-Content-Type": "application/json" };
  stub.trigger(address, '{"name":"Wörld"}', headers);
  await stub.drain();
  return stub;
}

function assertGreeted(stub: WorkflowStub): void {
  const run = [...stub.runs.values()][0]!;
  assert.equal(run.state, "success", stub.deliveries.at(-1)?.body);
  assert.equal(run.result, '"Hällo Wörld 200 own"');
}

/** Serves on a port for as long as the run takes. */
async function playOnServer(start: (options: Options) => RequestListener): Promise<WorkflowStub> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  try {
    return await playOn((options) => {
      server.on("request", start(options));
      return (request) => fetch(request);
    }, `http://127.0.0.1:${port}/flows/greet`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("Hono", async () => {
  assertGreeted(
    await playOn((options) => {
      const app = new Hono();
      app.post("/flows/greet", honoAdapter.serve(greet, options));
      return async (request) => app.fetch(request);
    }),
  );
});

test("Hono, after a middleware that has read the body", async () => {
  assertGreeted(
    await playOn((options) => {
      const app = new Hono();
      app.use(async (context, next) => {
        assert.ok(await context.req.json());
        await next();
      });
      const workflows = { greet: createWorkflow(greet, options) };
      app.post("/flows/*", honoAdapter.serveMany(workflows));
      return async (request) => app.fetch(request);
    }),
  );
});

test("Hono, with variables that the runtime passes", async () => {
  assertGreeted(
    await playOn(({ client }) => {
      const app = new Hono();
      const { fetch, token } = client!;
      app.post("/flows/greet", honoAdapter.serve(greet, { client: { fetch, retry: false } }));
      const variables = { POSTRIDER_TOKEN: token, POSTRIDER_NEXT_SIGNING_KEY: KEY };
      return async (request) => app.fetch(request, variables);
    }),
  );
});

test("Express", async () => {
  assertGreeted(
    await playOnServer((options) => {
      const app = express();
      app.post("/flows/greet", expressAdapter.serve(greet, options));
      return app;
    }),
  );
});

test("Express, mounted in a router behind a parser that keeps the raw body", async () => {
  assertGreeted(
    await playOnServer((options) => {
      const router = express.Router();
      const workflows = { greet: createWorkflow(greet, options) };
      router.post("/:name", expressAdapter.serveMany(workflows));
      const app = express();
      app.use(express.json({ verify: expressAdapter.keepRawBody }));
      app.use("/flows", router);
      return app;
    }),
  );
});

for (const [name, parser] of [
  ["bytes", express.raw({ type: "*/*" })],
  ["text", express.text({ type: "*/*" })],
] as const) {
  test(`Express, behind a parser to ${name}`, async () => {
    assertGreeted(
      await playOnServer((options) =>
        express().use(parser).post("/flows/greet", expressAdapter.serve(greet, options)),
      ),
    );
  });
}

test("Express, behind a parser that throws the raw body away, says what to do", async () => {
  const { deliveries } = await playOnServer((options) =>
    express().use(express.json()).post("/flows/greet", expressAdapter.serve(greet, options)),
  );
  assert.equal(deliveries[0]?.status, 500);
  assert.match(deliveries[0].body, /verify: keepRawBody/);
});

test("Node's own server", async () => {
  assertGreeted(
    await playOnServer((options) => {
      const handler = expressAdapter.serve(greet, options);
      return (request, response) => void handler(request, response);
    }),
  );
});

test("a route of Next's App Router, which is called with a request and its parameters", async () => {
  assertGreeted(
    await playOn((options) => {
      const { POST } = nextAdapter.serve(greet, options);
      const route = POST as (request: Request, rest: object) => Promise<Response>;
      class NextRequest extends Request {}
      return (request) => route(new NextRequest(request), { params: Promise.resolve({}) });
    }),
  );
});

test("a route of Next's Pages Router, which is given Node's request without a parsed body", async () => {
  assertGreeted(
    await playOnServer((options) => {
      const handler = nextAdapter.servePages(greet, options);
      return (request, response) => {
        void handler(Object.assign(request, { query: {}, cookies: {}, body: undefined }), response);
      };
    }),
  );
});
