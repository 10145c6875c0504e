/** The list is empty: says when something last matched, and offers the next step. */
import { withQuery } from "../app/api.ts";
import { serverNow } from "../app/clock.ts";
import { useResource } from "../app/resource.ts";
import { navigate, setQuery } from "../app/router.ts";
import { Blank } from "../parts/blank.tsx";
import { Button } from "../parts/button.tsx";
import { Time } from "../parts/time.tsx";
import type { LogEntry } from "./log-entry.ts";
import { apiQuery, type MessageFilter } from "./message-filter.ts";
import type { MessageList } from "./message-list.ts";

export function NoMatch({
  list,
  filter,
}: {
  readonly list: MessageList;
  readonly filter: MessageFilter;
}) {
  if (list.error !== null) {
    return (
      <Blank icon="alert" title="These messages cannot be shown">
        <span class="soft">{list.error.message}</span>
        <Button isSmall onPress={list.reload}>
          Try again
        </Button>
      </Blank>
    );
  }
  return (
    <Blank title="No message matches these filters">
      <LastMatch filter={filter} />
      {filter.time === "1h" || filter.time === "24h" ? (
        <Button isSmall onPress={() => setQuery({ time: "7d" })}>
          Search the last 7 days
        </Button>
      ) : (
        <Button isSmall onPress={() => navigate("/messages", "replace")}>
          Remove the filters
        </Button>
      )}
    </Blank>
  );
}

/** Without the limit of time, so that the reader knows how far back to search. */
function LastMatch({ filter }: { readonly filter: MessageFilter }) {
  const query = {
    ...apiQuery({ ...filter, time: null }, serverNow()),
    host: filter.host,
    state: filter.state,
    count: 1,
  };
  const log = useResource<{ logs: LogEntry[] }>(
    filter.time === null ? null : withQuery("/v2/logs", query),
  );
  const [entry] = log.value?.logs ?? [];
  if (entry === undefined) return null;
  return (
    <span class="soft">
      Last match: <Time at={entry.time} form="sentence" />.
    </span>
  );
}
