/** The messages: those that ended and those that did not, newest change first, live. */
import { useMemo, useRef, useState } from "preact/hooks";
import type { WaitingReasons } from "../../../sdk/src/answers/message.ts";
import { useKeys } from "../app/keys.ts";
import { useResource } from "../app/resource.ts";
import { navigate, place } from "../app/router.ts";
import { isReadOnly } from "../app/session.ts";
import { Button } from "../parts/button.tsx";
import { isAtRest } from "../parts/at-rest.ts";
import { ListFoot, NewRows, StateChoice } from "../parts/list-parts.tsx";
import { LiveButton } from "../parts/live-button.tsx";
import { Table } from "../parts/table.tsx";
import { Bar } from "../shell/bar.tsx";
import { CommonNotices } from "../shell/shell.tsx";
import { BulkMessages } from "./bulk-messages.tsx";
import { useDueTimes } from "./due-times.ts";
import { FirstMessage } from "./first-message-screen.tsx";
import { useFirstMessage } from "./first-message.ts";
import { messageColumns } from "./message-columns.tsx";
import { messageHref } from "./message-href.ts";
import { useLogSize } from "./log-size.ts";
import { filterOf, isOfOpen, isSearch, type MessageFilter } from "./message-filter.ts";
import { NoMatch } from "./no-match.tsx";
import { MessageFilterBar } from "./message-filter-bar.tsx";
import { type MessageList, useMessageList } from "./message-list.ts";
import { SendDialog } from "./send-dialog.tsx";
import { useStateCounts } from "./state-counts.ts";

const CHOSEN_STATES = ["CREATED", "ACTIVE", "RETRY", "DELIVERED", "FAILED", "CANCELED"] as const;

export function MessagesScreen() {
  const isFirst = useFirstMessage();
  if (isFirst === undefined) return <Bar title="Messages" />;
  return isFirst ? <FirstMessage /> : <Messages />;
}

function Messages() {
  const filter = filterOf(place.value.query);
  const [isPaused, setPaused] = useState(false);
  const [isSending, setSending] = useState(false);
  const card = useRef<HTMLDivElement>(null);
  const list = useMessageList(filter, !isPaused, () => isAtRest(card.current));
  const counts = useStateCounts(filter);
  const whyNot = isReadOnly.value ? "You are signed in with a read-only token" : null;
  useKeys({
    " ": () => setPaused(!isPaused),
    ".": list.showPending,
    c: () => whyNot === null && setSending(true),
  });
  return (
    <>
      <Bar title="Messages">
        <LiveButton
          isPaused={isPaused}
          sampleOf={list.sampleOf}
          onPress={() => setPaused(!isPaused)}
        />
        <Button
          kind="primary"
          icon="plus"
          shortcut="c"
          whyNot={whyNot}
          onPress={() => setSending(true)}
        >
          Send message
        </Button>
      </Bar>
      <div class="body">
        <CommonNotices />
        <div class="stack">
          <MessageFilterBar rows={list.rows} />
          <div class="row wrap">
            <StateChoice states={CHOSEN_STATES} chosen={filter.state} counts={counts} />
            {counts["DELIVERED"] === undefined ? null : (
              <span class="muted small hide-m">Delivered, failed, canceled: last 24 h</span>
            )}
            <span class="grow" />
            <BulkMessages filter={filter} />
          </div>
        </div>
        <div class="card tail" ref={card}>
          <MessagesTable list={list} filter={filter} />
        </div>
      </div>
      {isSending ? (
        <SendDialog
          onClose={() => setSending(false)}
          onSent={(id) => navigate(`/messages/${id}`)}
        />
      ) : null}
    </>
  );
}

function MessagesTable({
  list,
  filter,
}: {
  readonly list: MessageList;
  readonly filter: MessageFilter;
}) {
  const waiting = useResource<WaitingReasons>("/v2/waiting", 10_000);
  const columns = useMemo(() => messageColumns(waiting.value?.reasons ?? []), [waiting.value]);
  const rows = useDueTimes(list.rows);
  const logSize = useLogSize(isSearch(filter));
  return (
    <>
      <NewRows list={list} what="new message" />
      <Table
        label="Messages"
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        hrefOf={messageHref}
        isLoading={list.isLoading}
        isStale={list.error !== null}
        freshKeys={list.freshKeys}
        empty={<NoMatch list={list} filter={filter} of={logSize} />}
      />
      <ListFoot
        list={list}
        what="message"
        of={logSize}
        order={isOfOpen(filter) ? "oldest first" : "newest first"}
      />
    </>
  );
}
