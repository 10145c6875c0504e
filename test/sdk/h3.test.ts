/** The adapter of h3 inside its two lines, with deliveries that are signed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { H3, readBody, toNodeHandler } from "h3";
import * as h3One from "h3-1";
import { serve, serveMany } from "../../sdk/src/adapters/h3.ts";
import { createWorkflow } from "../../sdk/src/sdk.ts";
import {
  assertGreeted,
  greet,
  KEY,
  type Options,
  playOn,
  playOnServer,
} from "../support/framework-run.ts";

test("h3 2, by fetch", async () => {
  assertGreeted(
    await playOn((options) => {
      const app = new H3().post("/flows/greet", serve(greet, options));
      return async (request) => app.fetch(request);
    }),
  );
});

test("h3 2, on Node's server, with several workflows", async () => {
  assertGreeted(
    await playOnServer((options) => {
      const workflows = { greet: createWorkflow(greet, options) };
      const answer = toNodeHandler(new H3().post("/flows/**", serveMany(workflows)));
      return (request, response) => void answer(request, response);
    }),
  );
});

test("h3 2, after a middleware that has read a copy of the body", async () => {
  assertGreeted(
    await playOn((options) => {
      const app = new H3();
      app.use(async ({ req }) => assert.ok(await req.clone().json()));
      app.post("/flows/greet", serve(greet, options));
      return async (request) => app.fetch(request);
    }),
  );
});

test("h3 2, after a middleware that has read the body itself, says what to do", async () => {
  const { deliveries } = await playOn((options) => {
    const app = new H3();
    app.use(async (event) => void (await readBody(event)));
    app.post("/flows/greet", serve(greet, options));
    return async (request) => app.fetch(request);
  });
  assert.equal(deliveries[0]?.status, 500);
  assert.match(deliveries[0].body, /event\.req\.clone\(\)/);
});

test("h3 2, with variables that Nitro passes", async () => {
  assertGreeted(
    await playOn(({ client }) => {
      const app = new H3();
      const { fetch, token } = client!;
      const env = { POSTRIDER_TOKEN: token, POSTRIDER_NEXT_SIGNING_KEY: KEY };
      app.use(({ context }) => void Object.assign(context, { cloudflare: { env } }));
      app.post("/flows/greet", serve(greet, { client: { fetch, retry: false } }));
      return async (request) => app.fetch(request);
    }),
  );
});

function routerOf(options: Options): h3One.App {
  const router = h3One.createRouter();
  router.post("/flows/greet", h3One.defineEventHandler(serve(greet, options)));
  return h3One.createApp().use(router);
}

test("h3 1, on Node's server", async () => {
  assertGreeted(await playOnServer((options) => h3One.toNodeListener(routerOf(options))));
});

test("h3 1, without Node's requests", async () => {
  assertGreeted(await playOn((options) => h3One.toWebHandler(routerOf(options))));
});

test("h3 1, after a middleware that has read the body, with several workflows", async () => {
  assertGreeted(
    await playOnServer((options) => {
      const read = h3One.defineEventHandler(async (event) => void (await h3One.readBody(event)));
      const workflows = { greet: createWorkflow(greet, options) };
      const many = h3One.defineEventHandler(serveMany(workflows));
      return h3One.toNodeListener(h3One.createApp().use(read).use("/flows", many));
    }),
  );
});
