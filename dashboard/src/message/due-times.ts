/** When messages that have not been tried are due: the log does not say it, the messages themselves do. */
import { useEffect, useState } from "preact/hooks";
import type { Message, MessagePage } from "../../../sdk/src/answers/message.ts";
import { call, withQuery } from "../app/api.ts";
import type { MessageRow } from "./message-row.ts";

/** The rows with their due times, as far as they are known yet. */
export function useDueTimes(rows: readonly MessageRow[]): readonly MessageRow[] {
  const [dueAt, setDueAt] = useState<ReadonlyMap<string, number | null>>(new Map());
  const unknown = rows.filter((row) => isUntried(row) && !dueAt.has(row.id)).slice(0, IDS_MAX);
  const ids = unknown.map(({ id }) => id).join(",");
  useEffect(() => {
    if (ids === "") return undefined;
    const gone = new AbortController();
    // A message that is sent at once is not worth a question.
    const timer = setTimeout(() => {
      const path = withQuery("/v2/messages", { messageIds: ids, count: IDS_MAX });
      call<MessagePage>(path, { signal: gone.signal }).then(
        ({ messages }) => setDueAt((known) => withAnswers(known, ids.split(","), messages)),
        () => undefined,
      );
    }, ASK_AFTER_MS);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [ids]);
  if (dueAt.size === 0) return rows;
  return rows.map((row) => (isUntried(row) ? { ...row, nextAt: dueAt.get(row.id) ?? null } : row));
}

function isUntried({ state, nextAt }: MessageRow): boolean {
  return state === "CREATED" && nextAt === null;
}

function withAnswers(
  known: ReadonlyMap<string, number | null>,
  ids: readonly string[],
  messages: readonly Message[],
) {
  const found = new Map(messages.map((message) => [message.messageId, message.notBefore ?? null]));
  const next = new Map([...known, ...ids.map((id) => [id, found.get(id) ?? null] as const)]);
  return next.size > KEPT_MAX ? new Map([...next].slice(-KEPT_MAX)) : next;
}

const IDS_MAX = 50;
const ASK_AFTER_MS = 400;
const KEPT_MAX = 2_000;
