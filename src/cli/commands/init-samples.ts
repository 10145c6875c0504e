/** The files that `postrider init` writes, for each framework. */

export const FRAMEWORKS = ["next", "hono", "express", "fastify", "none"] as const;
export type Framework = (typeof FRAMEWORKS)[number];

export interface Sample {
  /** By path. */
  readonly files: Readonly<Record<string, string>>;
  /** Starts the application. */
  readonly run: string;
}

const FILE = "postrider-sample.mjs";
const RUN = `node --env-file=.env ${FILE}`;

const STEPS = `async (context) => {
  const name = await context.run("look up", () => \`user \${context.payload.user}\`);
  await context.sleep("wait", "2s");
  await context.run("greet", () => console.log(\`hello, \${name}\`));
}`;

const RECEIVE = `async (request) => {
  const { body } = await receiver.verifyRequest(request); // throws unless Postrider sent it
  console.log("received", body);
  return new Response("thanks");
}`;

/** Node's own request as one of the web, with its raw body. */
const WEB_REQUEST = `
async function webRequest(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  return new Request("http://localhost:3000" + request.url, {
    method: "POST",
    headers,
    body: Buffer.concat(chunks),
  });
}
`;

export const SAMPLES: Readonly<Record<Framework, Sample>> = {
  next: {
    files: {
      "app/api/receive/route.js": `import { Receiver } from "@postrider/sdk";

const receiver = new Receiver();

export const POST = ${RECEIVE};
`,
      "app/api/workflow/route.js": `import { serve } from "@postrider/sdk/next";

export const { POST } = serve(${STEPS});
`,
    },
    run: "npm run dev",
  },
  hono: {
    files: {
      [FILE]: `import { createServer } from "node:http";
import { Hono } from "hono";
import { Receiver } from "@postrider/sdk";
import { serve } from "@postrider/sdk/hono";

const receiver = new Receiver();
const receive = ${RECEIVE};

export const app = new Hono();
app.post("/api/receive", ({ req }) => receive(req.raw));
app.post("/api/workflow", serve(${STEPS}));

// With @hono/node-server, Bun or Workers, serve app as you do already.
createServer(async (request, response) => {
  const answer = await app.fetch(await webRequest(request), process.env);
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
}).listen(3000);
${WEB_REQUEST}`,
    },
    run: RUN,
  },
  express: {
    files: {
      [FILE]: `import express from "express";
import { Receiver } from "@postrider/sdk";
import { serve } from "@postrider/sdk/express";

const receiver = new Receiver();
const receive = ${RECEIVE};

const app = express();
// Before any parser: signatures cover the raw body.
app.post("/api/receive", async (request, response) => {
  const answer = await receive(await webRequest(request));
  response.status(answer.status).send(await answer.text());
});
app.post("/api/workflow", serve(${STEPS}));
app.listen(3000);
${WEB_REQUEST}`,
    },
    run: RUN,
  },
  fastify: {
    files: {
      [FILE]: `import Fastify from "fastify";
import { Receiver } from "@postrider/sdk";
import { serve } from "@postrider/sdk/fastify";

const receiver = new Receiver();
const app = Fastify();
// Bodies stay text: signatures cover what was sent.
app.removeAllContentTypeParsers();
app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
app.post("/api/receive", async ({ headers, body = "" }) => {
  const signature = headers["svc-signature"] ?? headers["upstash-signature"];
  await receiver.verify({ signature, body }); // throws unless Postrider sent it
  console.log("received", body);
  return "thanks";
});
app.post("/api/workflow", serve(${STEPS}));
await app.listen({ port: 3000 });
`,
    },
    run: RUN,
  },
  none: {
    files: {
      [FILE]: `import { createServer } from "node:http";
import { Receiver } from "@postrider/sdk";
import { serve } from "@postrider/sdk/express"; // also for Node's own server

const receiver = new Receiver();
const receive = ${RECEIVE};
const workflow = serve(${STEPS});

createServer(async (request, response) => {
  if (request.url === "/api/workflow") return workflow(request, response);
  try {
    const answer = await receive(await webRequest(request));
    response.writeHead(answer.status).end(await answer.text());
  } catch (error) {
    response.writeHead(401).end(error.message);
  }
}).listen(3000);
${WEB_REQUEST}`,
    },
    run: RUN,
  },
};
