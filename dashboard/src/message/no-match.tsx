/** The list is empty: says when something last matched, and offers the next step. */
import type { LogPage } from "../../../sdk/src/answers/message.ts";
import { withQuery } from "../app/api.ts";
import { serverNow } from "../app/clock.ts";
import { useResource } from "../app/resource.ts";
import { NoRows } from "../parts/list-parts.tsx";
import { Time } from "../parts/time.tsx";
import { logQuery, type MessageFilter } from "./message-filter.ts";
import type { MessageList } from "./message-list.ts";

export function NoMatch({
  list,
  filter,
  of,
}: {
  readonly list: MessageList;
  readonly filter: MessageFilter;
  readonly of: number | null;
}) {
  return (
    <NoRows list={list} what="message" time={filter.time} path="/messages" of={of}>
      <LastMatch filter={filter} />
    </NoRows>
  );
}

/** Without the limit of time, so that the reader knows how far back to search. */
function LastMatch({ filter }: { readonly filter: MessageFilter }) {
  const query = {
    ...logQuery({ ...filter, time: null }, serverNow()),
    count: 1,
  };
  const log = useResource<LogPage>(filter.time === null ? null : withQuery("/v2/logs", query));
  const [entry] = log.value?.logs ?? [];
  if (entry === undefined) return null;
  return (
    <span class="soft">
      Last match: <Time at={entry.time} form="sentence" />.
    </span>
  );
}
