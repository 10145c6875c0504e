/** The adapters inside the frameworks they are for, with deliveries that are signed. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import express from "express";
import { Hono } from "hono";
import * as expressAdapter from "../../sdk/src/adapters/express.ts";
import * as honoAdapter from "../../sdk/src/adapters/hono.ts";
import * as nextAdapter from "../../sdk/src/adapters/next.ts";
import { createWorkflow } from "../../sdk/src/sdk.ts";
import { assertGreeted, greet, KEY, playOn, playOnServer } from "../support/framework-run.ts";

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

test("Node's own server sends an answer with its length, in bytes", async (t) => {
  const handler = expressAdapter.serve(() => Promise.reject(new Error("größer als erlaubt")), {
    receiver: false,
    client: { token: "token" },
    logger: false,
  });
  const server = createServer((request, response) => void handler(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST" });
  const body = await answer.text();
  assert.match(body, /größer als erlaubt/);
  assert.equal(answer.headers.get("Content-Length"), String(Buffer.byteLength(body)));
  assert.equal(answer.headers.get("Transfer-Encoding"), null);
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
