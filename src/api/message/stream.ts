import { Problem } from "../../core/problem.ts";
import type { LogStream, StreamBatch } from "../../operations/message/log-streams.ts";
import { requireNoFilters } from "../../wire/filters/filter-parameters.ts";
import { readEventId } from "../../wire/message/stream-event.ts";
import type { Answer } from "../http/answers/answer.ts";
import { CallerGone } from "../http/server/body.ts";
import type { AccountCall, Api } from "../http/server/call.ts";

/**
 * The account's log as it is written, as server-sent events. The caller's access is checked again
 * with each heartbeat.
 */
export async function streamLog(api: Api, call: AccountCall): Promise<Answer> {
  requireNoFilters(call.query);
  const position = positionOf(api, call);
  if (call.request.method === "HEAD") return { ...LIVE, body: [] };
  const stream = await api.logStreams.open(call.account, position);
  const { socket } = call.request;
  const close = (): void => stream.close();
  // A listener that is gone has closed its side, and nothing else says so before the next event is sent to it.
  socket.once("end", close).once("close", close);
  if (socket.destroyed || socket.readableEnded) stream.close();
  if (socket.destroyed) throw new CallerGone();
  return {
    ...LIVE,
    body: eventsOf(api, call, stream, () => {
      socket.off("end", close).off("close", close);
      stream.close();
    }),
  };
}

async function* eventsOf(
  api: Api,
  call: AccountCall,
  stream: LogStream,
  onEnd: () => void,
): AsyncGenerator<string> {
  const { clock } = api;
  try {
    yield `retry: ${RETRY_MS}\n\n`;
    let beatAt = clock.monotonic() + HEARTBEAT_MS;
    let identifyAt = clock.monotonic() + IDENTIFY_MS;
    while (!stream.isClosed) {
      const waitMs = identifyAt - clock.monotonic();
      const batch = waitMs > 0 ? await stream.next(waitMs) : null;
      if (batch !== null) yield* eventsIn(batch);
      if (clock.monotonic() < identifyAt) continue;
      await call.identifyAgain();
      identifyAt = clock.monotonic() + IDENTIFY_MS;
      if (clock.monotonic() < beatAt) continue;
      yield ": heartbeat\n\n";
      beatAt = clock.monotonic() + HEARTBEAT_MS;
    }
    yield endOf(call.request.socket.readableEnded ? HALF_CLOSED : STOPPING);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    yield endOf(error.message);
  } finally {
    onEnd();
  }
}

/**
 * Small events together, since each text is a write, and large ones one by one: a caller that reads
 * slowly has one text in memory. What was left out comes before the others.
 */
function* eventsIn({ entries, skipped }: StreamBatch): Generator<string> {
  let text = skipped > 0 ? `event: lag\ndata: {"skipped":${skipped}}\n\n` : "";
  for (const entry of entries) {
    text += entry.text;
    if (text.length < TEXT_LENGTH) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}

function endOf(error: string): string {
  return `event: end\ndata: ${JSON.stringify({ error })}\n\n`;
}

/** A browser that connects again names the last event that it has had. */
function positionOf({ context }: Api, { request }: AccountCall): number | null {
  const given = request.headers["last-event-id"];
  if (given === undefined || given === "") return null;
  try {
    return readEventId(context.cursorSecrets(), String(given));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem("invalid-request", "Last-Event-ID: is not one that this stream has sent");
  }
}

const STOPPING = "the service is stopping; connect again";
const HALF_CLOSED = "the client closed its side of the connection; a stream needs both";
/** From this length on a text is sent. */
const TEXT_LENGTH = 16 * 1024;
const HEARTBEAT_MS = 15_000;
/** A stream ends so soon after its token is revoked or its account suspended. */
const IDENTIFY_MS = 2_000;
/** How long a browser waits before it connects again. */
const RETRY_MS = 2_000;
const LIVE = {
  status: 200,
  contentType: "text/event-stream",
  // Proxies that gather answers would hold events back.
  headers: ["X-Accel-Buffering", "no"],
  isLive: true,
} as const;
