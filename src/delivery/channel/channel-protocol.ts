/**
 * The protocol between the two ends of a channel: see docs/explanation/decisions/0009-channels.md.
 */
import type { Answer } from "../../core/model/message/attempt.ts";
import type { HeaderList } from "../../core/model/message/message.ts";

/** Whether an endpoint announces that it accepts channels. */
export function offersChannel(headers: HeaderList): boolean {
  return headers.some(([name, value]) => value === VERSION && name.toLowerCase() === LOWER_NAME);
}

/** Whether the response to a channel's request accepts it. */
export function isChannel(status: number, headers: HeaderList): boolean {
  return status === 200 && offersChannel(headers);
}

/**
 * The head of an answer is a list: the status, then names and values in turn. Null when it is not.
 */
export function readAnswer(head: string, body: Uint8Array): Answer | null {
  const list = readList(head);
  if (list === null || list.length % 2 === 0 || list.length > LIST_MAX) return null;
  const [status] = list;
  if (!Number.isInteger(status) || (status as number) < 200 || (status as number) > 599)
    return null;
  const headers: [string, string][] = [];
  for (let at = 1; at < list.length; at += 2) {
    const [name, value] = [list[at], list[at + 1]];
    if (typeof name !== "string" || typeof value !== "string") return null;
    headers.push([name, value]);
  }
  // A copy: a view would keep the whole buffer of the socket alive.
  const own = new Uint8Array(body);
  return { kind: "answer", status: status as number, headers, body: own };
}

function readList(head: string): unknown[] | null {
  try {
    const list: unknown = JSON.parse(head);
    return Array.isArray(list) ? (list as unknown[]) : null;
  } catch {
    return null;
  }
}

const NAME = "Svc-Workflow-Channel";
const LOWER_NAME = NAME.toLowerCase();
const VERSION = "1";
const LIST_MAX = 513;

export const CHANNEL_HEADERS = [
  "Content-Type",
  "application/vnd.postrider.channel",
  "User-Agent",
  "Postrider",
  NAME,
  VERSION,
];
