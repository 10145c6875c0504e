/** One HTTP request as it is written, without the help of a client that would tidy it up. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";

export interface CallOptions {
  readonly token?: string | null;
  /** A value may be a list, to send the header more than once. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
}

export interface CallAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; an empty object when it is empty. */
  readonly json: Record<string, unknown>;
}

export async function call(
  baseUrl: string,
  method: string,
  path: string,
  { token, headers = {}, body }: CallOptions = {},
): Promise<CallAnswer> {
  const { hostname, port } = new URL(baseUrl);
  const own = {
    ...(typeof token === "string" ? { Authorization: `Bearer ${token}` } : {}),
    ...(body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) }),
  };
  const sent = request({
    hostname,
    port,
    method,
    path,
    headers: { ...own, ...headers },
    agent: false,
  });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const answer = await text(response);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: answer,
    json: isJson(response) && answer !== "" ? (JSON.parse(answer) as Record<string, unknown>) : {},
  };
}

const isJson = ({ headers }: IncomingMessage): boolean =>
  headers["content-type"] === "application/json";

/** Writes bytes to a fresh connection and answers all that comes back until it is closed. */
export function exchangeBytes(baseUrl: string, ...parts: (string | Uint8Array)[]): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(Number(port), hostname, () => {
      for (const part of parts) socket.write(part);
    });
    socket.setTimeout(10_000, () => socket.destroy(new Error(`no end of: ${received}`)));
    socket.on("data", (chunk) => (received += chunk.toString("latin1")));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNRESET" || error.code === "EPIPE") resolve(received);
      else reject(error);
    });
    socket.on("close", () => resolve(received));
  });
}
