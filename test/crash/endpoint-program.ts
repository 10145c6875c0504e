/**
 * The program of an endpoint that serves the workflow of every kind with both SDKs. Told so by a line, it dies at its
 * n-th request from then on: when it has received it, when it has submitted what it came to, or when it has answered.
 */
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { Client as QstashClient, Receiver as QstashReceiver } from "@upstash/qstash";
import {
  createWorkflow as createUpstashWorkflow,
  serveMany as serveUpstashMany,
} from "@upstash/workflow/cloudflare";

import { answeringOf, nodeHandler } from "../../sdk/src/adapters/node-request.ts";
import { type Context, createWorkflow, Receiver, serveMany } from "../../sdk/src/sdk.ts";
import type { EndpointDeath, EndpointOrders } from "./endpoint-process.ts";
import { mended, type MendedPayload } from "./mended.ts";
import { child, type ChildPayload, parent } from "./every-kind.ts";

const orders = JSON.parse(process.argv[2] ?? "{}") as EndpointOrders;
const { port, service, token, signingKeys, outside } = orders;
/** An endpoint that is gone is called again soon. */
const RETRYING = { retries: 10, retryDelay: "200 * (1 + retried)" };

function ofPostrider(): (request: Request) => Promise<Response> {
  const options = {
    client: { baseUrl: service, token },
    receiver: new Receiver({
      currentSigningKey: signingKeys.current,
      nextSigningKey: signingKeys.next,
    }),
    logger: false as const,
  };
  const invoked = createWorkflow(
    (context: Context<ChildPayload>) => child(context, context.payload, outside),
    options,
  );
  const invoking = createWorkflow((context) => {
    const own = {
      hooked: (...[name, webhook, timeout]: Parameters<Hooked>) =>
        context.waitForWebhook(name, webhook, { timeout }),
      invoke: (name: string, body: ChildPayload) =>
        context.invoke(name, { workflow: invoked, body, ...RETRYING }),
    };
    return parent(context, own, outside);
  }, options);
  const fragile = createWorkflow(
    (context: Context<MendedPayload>) => mended(context, context.payload, outside),
    { ...options, onFailure: () => undefined },
  );
  return serveMany({ parent: invoking, child: invoked, mended: fragile });
}

function ofUpstash(): (request: Request) => Promise<Response> {
  const invoked = createUpstashWorkflow<ChildPayload, unknown>((context) =>
    child(context, context.requestPayload, outside),
  );
  const invoking = createUpstashWorkflow((context) => {
    const own = {
      hooked: (...asked: Parameters<Hooked>) => context.waitForWebhook(...asked),
      invoke: (name: string, body: ChildPayload) =>
        context.invoke(name, { workflow: invoked, body, ...RETRYING }),
    };
    return parent(context, own, outside);
  });
  const fragile = createUpstashWorkflow<MendedPayload, unknown>(
    (context) => mended(context, context.requestPayload, outside),
    { failureFunction: () => undefined },
  );
  const many = serveUpstashMany(
    { parent: invoking, child: invoked, mended: fragile },
    {
      qstashClient: new QstashClient({ baseUrl: service, token }),
      receiver: new QstashReceiver({
        currentSigningKey: signingKeys.current,
        nextSigningKey: signingKeys.next,
      }),
    },
  );
  return (request) => many.fetch(request, {});
}

type Hooked = Parameters<typeof parent>[1]["hooked"];

const postrider = ofPostrider();
const upstash = ofUpstash();
let requests = 0;
let death: EndpointDeath | null = null;

const server = createServer((request, response) => {
  const number = ++requests;
  const reached = (moment: EndpointDeath["moment"]): void => {
    if (death?.at === number && death.moment === moment) process.kill(process.pid, "SIGKILL");
  };
  reached("received");
  response.on("finish", () => reached("answered"));
  const serve = request.url?.startsWith("/upstash/") === true ? upstash : postrider;
  const answering = answeringOf(async (sent) => {
    const answered = await serve(sent);
    reached("submitted");
    return answered;
  });
  void nodeHandler(answering)(request, response);
});
server.listen(port, "127.0.0.1", () => process.stdout.write("listening\n"));

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  process.stdout.write(`${requests}\n`);
  death = JSON.parse(line) as EndpointDeath | null;
  requests = 0;
});
// The process ends with the one that started it.
lines.on("close", () => process.exit(0));
