import { createServer } from "node:http";
import { Agent } from "undici";

/**
 * The floor: a relay on the same HTTP stack that keeps nothing. It acknowledges every 2 ms and
 * then forwards from memory, so whatever a durable service costs more is the price of durability.
 */
const ACK_EVERY_MS = 2;
const agent = new Agent({ connections: 64, pipelining: 1 });
let waiting: (() => void)[] = [];
let timer: NodeJS.Timeout | null = null;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const target = new URL((request.url ?? "").slice("/v2/publish/".length));
    waiting.push(() => {
      response.writeHead(200, ["content-type", "application/json", "content-length", "20"]);
      response.end('{"messageId":"none"}');
      forward(target, chunks);
    });
    timer ??= setTimeout(acknowledge, ACK_EVERY_MS);
  });
});

function acknowledge(): void {
  timer = null;
  const due = waiting;
  waiting = [];
  for (const answer of due) answer();
}

function forward(target: URL, chunks: readonly Buffer[]): void {
  const path = target.pathname + target.search;
  const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  const headers = ["content-type", "application/json"];
  agent.dispatch({ origin: target.origin, path, method: "POST", headers, body }, HANDLER);
}

const HANDLER = {
  onRequestStart: () => undefined,
  onResponseStart: () => undefined,
  onResponseData: () => undefined,
  onResponseEnd: () => undefined,
  onResponseError: (_controller: unknown, error: Error) => {
    throw error;
  },
};

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the relay has no port");
  process.stdout.write(`${address.port}\n`);
});
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
