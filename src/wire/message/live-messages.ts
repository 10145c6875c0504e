import type { AddressFilter } from "../../core/model/message/log-filter.ts";
import type { LogState } from "../../core/model/message/log-entry.ts";
import type { Wait } from "../../core/model/line/waiting.ts";
import type { Message } from "../../core/model/message/message.ts";
import { LIVE_ROWS } from "./cancel.ts";
import { filterOf, readParameters } from "../filters/filter-parameters.ts";
import { waitJson } from "../line/waiting.ts";
import { CURSOR_ROW } from "../filters/filter-rows.ts";
import { type ListQuery, page } from "../filters/filters.ts";
import type { TypeOf } from "../json/schema.ts";
import type { CALLBACKS, MESSAGE } from "./message-schemas.ts";
import { messageJson } from "./message.ts";

const COUNT_MAX = 100;
export const LIVE_LIST_ROWS = [...LIVE_ROWS, CURSOR_ROW];

/**
 * The query of `GET /v2/messages`: the filters of a cancellation, so that a caller can list first
 * what would be canceled. An unknown parameter is refused, as it is there.
 */
export function readLiveQuery(query: string): Omit<ListQuery<AddressFilter>, "order"> {
  const values = readParameters(query, LIVE_LIST_ROWS, "strict");
  const { count, cursor } = page(values, COUNT_MAX);
  return { filter: filterOf(values, LIVE_ROWS), count, cursor };
}

/** The last attempt of a failed message. */
export interface Failure {
  readonly error: string | undefined;
  /** 0 when there was no response. */
  readonly status: number;
  /** Its dead letter, while it is stored. */
  readonly dlqId: string | undefined;
}

/** A message with its state. */
export function messageWithStateJson({
  message,
  body,
  state,
  failure,
  waiting,
}: {
  readonly message: Message;
  readonly body: Uint8Array;
  readonly state: LogState;
  readonly failure: Failure | null;
  readonly waiting?: Wait | null | undefined;
}): TypeOf<typeof MESSAGE> {
  const { error, status: responseStatus, dlqId } = failure ?? {};
  const wait = waiting ? waitJson(waiting) : undefined;
  const { sourceId: sourceMessageId } = message;
  return {
    ...messageJson(message, body),
    sourceMessageId,
    state,
    waiting: wait,
    error,
    responseStatus,
    dlqId,
  };
}

/** A callback of a message. */
export function callbackJson({
  message: { messageId, kind, url, createdAt },
  state,
}: {
  readonly message: Message;
  readonly state: LogState;
}): TypeOf<typeof CALLBACKS>["callbacks"][number] {
  return { messageId, kind, url, state, createdAt };
}
