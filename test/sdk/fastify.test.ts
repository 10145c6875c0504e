/** The adapter of Fastify inside it, with deliveries that are signed. */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import fastify, { type FastifyInstance } from "fastify";
import { serve, serveMany } from "../../sdk/src/adapters/fastify.ts";
import { createWorkflow } from "../../sdk/src/sdk.ts";
import { assertGreeted, greet, type Options, playOnServer } from "../support/framework-run.ts";
import type { WorkflowStub } from "../support/workflow-stub.ts";

/** Runs the workflow to its end on an application, on which `add` puts it. */
function playOnFastify(
  add: (app: FastifyInstance, options: Options) => unknown,
  contentType?: string,
): Promise<WorkflowStub> {
  return playOnServer((options) => {
    const app = fastify({ bodyLimit: 10 });
    add(app, options);
    const ready = app.ready();
    return (request, response) => void ready.then(() => app.routing(request, response));
  }, contentType);
}

for (const contentType of ["application/json", "text/plain", "application/x-nobody-knows"]) {
  test(`Fastify, with a body of type ${contentType}`, async () => {
    assertGreeted(
      await playOnFastify(
        (app, options) => app.post("/flows/greet", serve(greet, options)),
        contentType,
      ),
    );
  });
}

test("Fastify, with hooks before and after, and several workflows under a prefix", async () => {
  const told: string[] = [];
  assertGreeted(
    await playOnFastify((app, options) => {
      app.addHook("onRequest", async ({ url }) => void told.push(url));
      app.addHook("onSend", async (_request, reply, payload) => {
        await new Promise((resolve) => setImmediate(resolve));
        told.push(String(reply.statusCode));
        return payload;
      });
      void app.register(
        async (routes) => {
          routes.post("/:name", serveMany({ greet: createWorkflow(greet, options) }));
        },
        { prefix: "/flows" },
      );
    }),
  );
  assert.deepEqual(told.slice(0, 2), ["/flows/greet", "200"]);
});

test("Fastify, with a body that was changed on its way, is refused", async () => {
  const { deliveries } = await playOnFastify((app, options) => {
    app.addHook("preParsing", async (_request, _reply, payload) => {
      payload.resume();
      return Readable.from(['{"name":"Mallory"}']);
    });
    app.post("/flows/greet", serve(greet, options));
  });
  assert.equal(deliveries[0]?.status, 401);
});
