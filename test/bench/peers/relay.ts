import { createServer, type ServerResponse } from "node:http";
import { Agent } from "undici";

/** Deliveries of a peer at a time; as many as a destination gets from us. */
export const CONCURRENCY = 50;

const agent = new Agent({ connections: CONCURRENCY, pipelining: 1 });

/** Posts a body, as the work of a job. It throws when the destination does not accept it. */
export async function deliver(url: string, body: string): Promise<void> {
  const target = new URL(url);
  const { statusCode, body: answer } = await agent.request({
    origin: target.origin,
    path: target.pathname,
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  await answer.dump();
  if (statusCode >= 300) throw new Error(`status ${statusCode}`);
}

async function acknowledge(response: ServerResponse, stored: Promise<unknown>): Promise<void> {
  try {
    await stored;
    response.writeHead(200, ["content-type", "application/json", "content-length", "20"]);
    response.end('{"messageId":"none"}');
  } catch (error) {
    console.error(error);
    response.writeHead(500, ["content-length", "0"]);
    response.end();
  }
}

/**
 * The front of a peer: accepts a publish over HTTP, hands it to the peer, and acknowledges once the
 * peer has stored it. Its first line of output is its port.
 */
export function serveFront(store: (url: string, body: string) => Promise<unknown>): void {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const url = (request.url ?? "").slice("/v2/publish/".length);
      void acknowledge(response, store(url, Buffer.concat(chunks).toString()));
    });
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the front has no port");
    process.stdout.write(`${address.port}\n`);
  });
  process.stdin.resume();
  process.stdin.on("end", () => process.exit(0));
}
