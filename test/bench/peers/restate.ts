import { createServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";

import { deliver } from "./relay.ts";

/**
 * A service of Restate that posts what it is sent, with Restate's own SDK, whose URL is the first
 * argument. Restate's ingress accepts the messages, so there is no front of ours before it.
 */
interface RestateContext {
  request(): { readonly headers: ReadonlyMap<string, string> };
  run(name: string, action: () => Promise<void>): Promise<void>;
}
type RequestHandler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;
interface RestateSdk {
  readonly serde: { readonly binary: object };
  readonly handlers: {
    handler(
      options: object,
      handle: (context: RestateContext, body: Uint8Array) => Promise<void>,
    ): unknown;
  };
  service(definition: object): unknown;
  createEndpointHandler(options: { services: unknown[] }): RequestHandler;
}

const sdk = (await import(process.argv[2] ?? "")) as RestateSdk;
const send = sdk.handlers.handler(
  { accept: "*/*", input: sdk.serde.binary },
  async (context, body) => {
    const target = context.request().headers.get("x-target") ?? "";
    await context.run("deliver", () => deliver(target, Buffer.from(body).toString()));
  },
);
const services = [sdk.service({ name: "messages", handlers: { send } })];
const server = createServer(sdk.createEndpointHandler({ services }));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the endpoint has no port");
  process.stdout.write(`${address.port}\n`);
});
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
