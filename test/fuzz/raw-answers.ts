/** Sends the bytes of a request over a connection of its own, and reads every answer until its end. */
import { connect } from "node:net";

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What came back before the service closed the connection, or before a stream began. */
export function rawAnswers(baseUrl: string, bytes: Buffer, isCut: boolean): Promise<RawAnswer[]> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const finish = (): void => resolve(readAnswers(Buffer.concat(chunks)));
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(bytes);
      if (isCut) socket.end();
    });
    socket.setTimeout(PATIENCE_MS, () => {
      socket.destroy();
      reject(new Error("the service did not end its answer"));
    });
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      if (!chunk.includes("text/event-stream")) return;
      socket.destroy();
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNRESET" || error.code === "EPIPE") finish();
      else reject(error);
    });
    socket.on("close", finish);
  });
}

function readAnswers(received: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let at = 0; at < received.length;) {
    const headEnd = received.indexOf("\r\n\r\n", at);
    if (headEnd === -1) break;
    const [line, ...rows] = received.subarray(at, headEnd).toString("latin1").split("\r\n");
    const headers = Object.fromEntries(
      rows.map((row) => {
        const colon = row.indexOf(":");
        return [row.slice(0, colon).toLowerCase(), row.slice(colon + 1).trim()];
      }),
    );
    const status = Number(line!.split(" ")[1]);
    const { body, end } = bodyAt(received, headEnd + 4, headers);
    at = end;
    if (status >= 200) answers.push({ status, headers, body });
  }
  return answers;
}

function bodyAt(
  received: Buffer,
  from: number,
  headers: Readonly<Record<string, string>>,
): { body: string; end: number } {
  if (headers["transfer-encoding"] === "chunked") return chunksAt(received, from);
  const length = headers["content-length"];
  const end = length === undefined ? received.length : from + Number(length);
  return { body: received.subarray(from, end).toString("utf8"), end };
}

function chunksAt(received: Buffer, from: number): { body: string; end: number } {
  const parts: Buffer[] = [];
  for (let at = from; ;) {
    const lineEnd = received.indexOf("\r\n", at);
    const size = lineEnd === -1 ? 0 : Number.parseInt(received.toString("latin1", at, lineEnd), 16);
    if (!(size > 0)) {
      return { body: Buffer.concat(parts).toString("utf8"), end: received.length };
    }
    parts.push(received.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

/** Far more than any answer takes on a busy machine: an answer that takes longer hangs. */
const PATIENCE_MS = 90_000;
