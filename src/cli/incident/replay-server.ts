/** Stands in for the server of the replayed code: it takes what a run submits, and stores and sends nothing. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { bodyTooLarge } from "../../api/http/server/body.ts";
import { parseBytes } from "../../config/parsers.ts";
import { SETTINGS } from "../../config/settings.ts";
import { decodeName } from "../../../sdk/src/workflow/protocol.ts";
import type { Step } from "../../core/model/workflow/run.ts";
import { Problem, PROBLEMS } from "../../core/problem.ts";
import { devCredentials } from "../../operations/account/public-credentials.ts";
import { GrowingBuffer } from "../../platform/growing-buffer.ts";
import { readBatch, readBatchItem } from "../../wire/message/batch.ts";
import { readPublishOptions } from "../../wire/message/publish.ts";
import { readInvocation } from "../../wire/workflow/invoke.ts";
import { readCalledStep } from "../../wire/workflow/step.ts";
import { readWaitRequest } from "../../wire/workflow/wait.ts";
import { headerOf, readWorkflowHeaders } from "../../wire/workflow/workflow-headers.ts";

/** What the code has submitted in the course of one delivery. */
export interface Submitted {
  readonly steps: readonly Step[];
  /** How it has ended its run. */
  readonly end?: "result" | "cancel" | undefined;
}

interface Request {
  readonly method: string;
  /** The path and the query. */
  readonly path: string;
  readonly rawHeaders: readonly string[];
  readonly body: Uint8Array;
}

export class ReplayServer {
  /** Requests that belong to no step: what they ask for was not done. */
  readonly ignored: string[] = [];
  readonly #server: Server;
  readonly #bytesMax: number;
  #steps: Step[] = [];
  #end: Submitted["end"];

  private constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#server = createServer((request, response) => void this.#respond(request, response));
  }

  /** Where the code expects its server; null if that port is taken. */
  static listen(port: number, bytesMax = REQUEST_BYTES_MAX): Promise<ReplayServer | null> {
    const own = new ReplayServer(bytesMax);
    return new Promise((resolve, reject) => {
      own.#server.once("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "EADDRINUSE") resolve(null);
        else reject(error);
      });
      own.#server.listen(port, "127.0.0.1", () => resolve(own));
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** What was submitted since it was last asked. */
  take(): Submitted {
    const taken = { steps: this.#steps, end: this.#end };
    this.#steps = [];
    this.#end = undefined;
    return taken;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, value } = await this.#answerTo(incoming);
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(value));
  }

  /** A fault is no 400, which an SDK takes for the end of its run. */
  async #answerTo(incoming: IncomingMessage): Promise<{ status: number; value: unknown }> {
    try {
      const { method = "", url: path = "", rawHeaders } = incoming;
      const request = { method, path, rawHeaders, body: await bodyOf(incoming, this.#bytesMax) };
      const value = this.#answer(request);
      if (value !== undefined) return { status: 200, value };
      this.ignored.push(`${method} ${path}`);
      return {
        status: 501,
        value: { error: `postrider replay does not answer ${method} ${path}` },
      };
    } catch (error) {
      if (error instanceof Problem && error.kind === "body-too-large") {
        return { status: PROBLEMS[error.kind].status, value: { error: error.message } };
      }
      return { status: 422, value: { error: String(error) } };
    }
  }

  #answer({ method, path, rawHeaders, body }: Request): unknown {
    if (path === "/v2/batch") {
      return [...readBatch(body)].map((item) => {
        const { destination, ...read } = readBatchItem(item, Infinity);
        return this.#publish(destination, read.rawHeaders, read.body);
      });
    }
    const [, action, rest = ""] = /^\/v2\/([a-z]+)\/(.*)$/s.exec(path) ?? [];
    if (method === "POST" && action === "publish") return this.#publish(rest, rawHeaders, body);
    if (method === "POST" && action === "wait") {
      this.#steps.push(readWaitRequest(body).step);
      return STORED;
    }
    if (method === "POST" && action === "notify") {
      this.ignored.push(`${method} ${path}`);
      return [];
    }
    if (method === "DELETE" && path.startsWith("/v2/workflows/runs/")) {
      this.#end = /[?&]cancel=false\b/.test(path) ? "result" : "cancel";
      return {};
    }
    // The dev mode of the public SDK looks for the keys of its own server.
    if (path === "/v2/keys") {
      const { currentSigningKey: current, nextSigningKey: next } = devCredentials();
      return { current, next };
    }
    return undefined;
  }

  /** A step, a call or an invocation; anything else would be sent by a server. */
  #publish(destination: string, rawHeaders: readonly string[], body: Uint8Array): object {
    const workflow = readWorkflowHeaders(rawHeaders);
    if (workflow?.isInvoke === true) this.#steps.push(readInvocation(body).step);
    else if (workflow?.isCall === true) this.#steps.push(calledStep(rawHeaders));
    else if (workflow?.isInit === false) this.#steps.push(stepOf(body));
    else this.ignored.push(`publish to ${destination}`);
    return STORED;
  }
}

/** What is too large is read to its end, since only then the code reads the answer, and is not kept. */
async function bodyOf(incoming: IncomingMessage, bytesMax: number): Promise<Uint8Array> {
  const content = new GrowingBuffer(bytesMax);
  let isWhole = true;
  for await (const chunk of incoming) {
    isWhole &&= content.add(chunk as Buffer);
  }
  if (!isWhole) throw bodyTooLarge(bytesMax);
  return content.take();
}

function calledStep(rawHeaders: readonly string[]): Step {
  const { callback } = readPublishOptions(rawHeaders, [], { call: "step" }).settings;
  const step = readCalledStep((suffix) => headerOf(callback?.headers ?? [], suffix));
  return { ...step, stepName: decodeName(step.stepName) };
}

function stepOf(body: Uint8Array): Step {
  return JSON.parse(Buffer.from(body).toString()) as Step;
}

/** As a server takes them. */
const REQUEST_BYTES_MAX = parseBytes(SETTINGS.maxBatchBytes.defaults.dev);
const STORED = { messageId: "msg_replay" };
