import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { type Answer, json } from "../../src/api/http/answers/answer.ts";
import { RefusalCounts } from "../../src/api/http/answers/problem-answer.ts";
import { ConnectionLimit } from "../../src/api/http/limits/connection-limit.ts";
import { UnreadAnswers } from "../../src/api/http/limits/unread-answers.ts";
import { UploadWatch } from "../../src/api/http/limits/upload-watch.ts";
import { type Body, createBodyBudget } from "../../src/api/http/server/body.ts";
import type { Api, Route } from "../../src/api/http/server/call.ts";
import { ApiServer, type HeadTimes } from "../../src/api/http/server/server.ts";
import { createIds } from "../../src/platform/ids.ts";
import { ManualClock } from "./manual-clock.ts";

export const LIMITS = { inAll: 100, ofAddress: 100 };

/** More than two sockets hold. */
const LARGE = "x".repeat(16 * 1024 * 1024);
const admit = () => async (body: Body) => json(200, { length: (await body.read(100)).length });

/** A server whose answers at /held are given by the test, one after another. */
export async function startApiServer(
  t: TestContext,
  connections = new ConnectionLimit([], LIMITS),
  times?: HeadTimes,
) {
  const clock = new ManualClock();
  const held: (() => void)[] = [];
  const hold = (): Promise<Answer> =>
    new Promise((resolve) => held.push(() => resolve(json(200, { ok: true }))));
  async function* live(): AsyncGenerator<string> {
    yield "begun";
    await new Promise<void>((resolve) => held.push(resolve));
  }
  const routes = [
    { method: "GET", path: "/quick", handler: () => json(200, { ok: true }) },
    { method: "GET", path: "/held", handler: hold },
    { method: "GET", path: "/live", handler: () => ({ status: 200, body: live(), isLive: true }) },
    { method: "GET", path: "/large", handler: () => ({ status: 200, body: LARGE }) },
    { method: "POST", path: "/body", admit },
  ].map((row) => ({ needs: "open", says: "", ...row }) as unknown as Route);
  const uploads = new UploadWatch(clock);
  const unread = new UnreadAnswers();
  const api = {
    clock,
    connections,
    refusals: new RefusalCounts(),
    phase: () => "ready",
    ids: createIds(),
    log: { error: (event: string) => assert.fail(event) },
    unread,
    bodyBudget: createBodyBudget(clock),
    uploads,
    callerIp: () => "127.0.0.1",
    requireCaller: () => undefined,
    context: { isStandingStill: () => false },
  } as unknown as Api;
  const server = new ApiServer(api, routes, times);
  const port = await server.listen(0, "127.0.0.1", 1);
  t.after(() => server.close());
  return { clock, server, port, held, uploads, unread };
}

/** A client that keeps its side open, whatever the server does. */
export async function connectTo(t: TestContext, port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => undefined);
  t.after(() => socket.destroy());
  await once(socket, "connect");
  return socket;
}

export const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`;

/** Sends a request, and returns the first of what comes back. */
export async function ask(socket: Socket, request: string): Promise<string> {
  socket.write(request);
  const [chunk] = (await once(socket, "data")) as [Buffer];
  return String(chunk);
}

/** Everything that the server says until it ends the connection. */
export async function say(t: TestContext, port: number, sent: string): Promise<string> {
  const socket = await connectTo(t, port);
  socket.write(sent);
  return text(socket);
}

export async function isRefused(port: number): Promise<boolean> {
  const socket = connect({ port, host: "127.0.0.1" });
  const verdict = await Promise.race([
    once(socket, "connect").then(() => false),
    new Promise<boolean>((resolve) => socket.once("error", () => resolve(true))),
  ]);
  socket.destroy();
  return verdict;
}
