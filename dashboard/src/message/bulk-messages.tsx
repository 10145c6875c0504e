/** Sends or cancels all messages that a filter means. The server counts them first. */
import { useState } from "preact/hooks";
import type { BulkCount } from "../../../sdk/src/answers/dead-letter.ts";
import type { CancelledCount, SentManyNow } from "../../../sdk/src/answers/message.ts";
import { announce } from "../app/announce.ts";
import { call, noteChanged, withQuery } from "../app/api.ts";
import { serverNow } from "../app/clock.ts";
import { counted } from "../app/format.ts";
import { useSource } from "../app/resource.ts";
import { isReadOnly } from "../app/session.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { SpreadField } from "../parts/spread-field.tsx";
import { type MessageFilter, openQuery } from "./message-filter.ts";

type BulkAction = "send" | "cancel";
type Query = Readonly<Record<string, string | number | null>>;

/** Where messages are listed that wait for a time. */
export function BulkMessages({ filter }: { readonly filter: MessageFilter }) {
  const [asked, ask] = useState<{ action: BulkAction; query: Query } | null>(null);
  const isOfWaiting =
    filter.waiting !== null || filter.state === "CREATED" || filter.state === "RETRY";
  // The log knows the answers, and an action does not read it.
  if (isReadOnly.value || !isOfWaiting || filter.status !== null || filter.error !== null)
    return null;
  // As it was when it was asked for, so that what is counted is what is changed.
  const begin = (action: BulkAction): void =>
    ask({ action, query: openQuery(filter, serverNow()) });
  return (
    <>
      <Button isSmall icon="play" onPress={() => begin("send")}>
        Send all now…
      </Button>
      <Button isSmall icon="x" onPress={() => begin("cancel")}>
        Cancel all…
      </Button>
      {asked === null ? null : <BulkDialog {...asked} onClose={() => ask(null)} />}
    </>
  );
}

interface BulkDialogProps {
  readonly action: BulkAction;
  readonly query: Query;
  readonly onClose: () => void;
}

function BulkDialog({ action, query, onClose }: BulkDialogProps) {
  const [over, setOver] = useState("");
  const { value } = useCount(action, query);
  const things = value === null ? "messages" : counted(value.count, "message");
  const atLeast = value?.isAbout === true ? "at least " : "";
  const isSend = action === "send";
  return (
    <Dialog
      title={isSend ? `Send ${atLeast}${things} now?` : `Cancel ${atLeast}${things}?`}
      confirm={isSend ? `Send ${things} now` : `Cancel ${things}`}
      cancel="Close"
      isDanger={!isSend}
      onConfirm={() => (isSend ? sendAll(query, over) : cancelAll(query))}
      onClose={onClose}
    >
      <p class="soft">
        {isSend
          ? "Every message that matches the filter and waits for a time, delayed or for a retry, is due now. Queues, keys and hosts still limit them."
          : "Every message that matches the filter and has not ended is canceled, whatever its state. This cannot be undone."}
        {isEverything(query) ? " There is no filter but the state: this means all of them." : ""}
      </p>
      {isSend ? <SpreadField value={over} onInput={setOver} /> : null}
    </Dialog>
  );
}

function useCount(action: BulkAction, query: Query) {
  const path = withQuery(PATHS[action], { ...query, dryRun: "true" });
  const load = (gone: AbortSignal): Promise<BulkCount> =>
    call(path, { method: METHODS[action], signal: gone, isQuiet: true });
  return useSource<BulkCount>({ name: `${path} counted`, load }, { everyMs: null });
}

async function sendAll(query: Query, over: string): Promise<void> {
  let sent = 0;
  let cursor: string | null = null;
  do {
    const path = withQuery(PATHS.send, { ...query, over, cursor });
    const answer: SentManyNow = await call(path, { method: METHODS.send, isQuiet: true });
    sent += answer.retried;
    cursor = answer.cursor ?? null;
  } while (cursor !== null);
  noteChanged(PATHS.send);
  const when = over === "" ? "due now" : "spread over that time";
  announce(`${counted(sent, "message")} ${sent === 1 ? "is" : "are"} ${when}.`);
}

async function cancelAll(query: Query): Promise<void> {
  const { cancelled } = await call<CancelledCount>(withQuery(PATHS.cancel, query), {
    method: METHODS.cancel,
  });
  announce(`${counted(cancelled, "message")} ${cancelled === 1 ? "is" : "are"} canceled.`);
}

function isEverything(query: Query): boolean {
  return Object.values(query).every((value) => value === null || value === "");
}

const PATHS: Readonly<Record<BulkAction, string>> = {
  send: "/v2/messages/retry",
  cancel: "/v2/messages",
};
const METHODS = { send: "POST", cancel: "DELETE" } as const;
