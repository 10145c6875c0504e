/** Every state that a message was in, newest first. */
import { useState } from "preact/hooks";
import type { LogPage } from "../../../sdk/src/answers/message.ts";
import { serverNow } from "../app/clock.ts";
import { clockText, counted, instantText } from "../app/format.ts";
import type { Resource } from "../app/resource.ts";
import { Button } from "../parts/button.tsx";
import { Chip } from "../parts/chip.tsx";
import { Table } from "../parts/table.tsx";
import { entryText } from "./message-life.ts";

export function MessageLog({ log }: { readonly log: Resource<LogPage> }) {
  const { isLoading } = log;
  const entries = log.value?.logs ?? [];
  const problem = log.error?.message ?? null;
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? entries : entries.slice(0, SHOWN_MAX);
  const now = serverNow();
  const rows = shown.map((entry, index) => ({ entry, key: `${entries.length - index}` }));
  return (
    <article class="card">
      <header>
        <h2>Log</h2>
        <span class="muted">
          {isLoading || (problem !== null && entries.length === 0)
            ? ""
            : counted(entries.length, "entry", "entries")}
        </span>
      </header>
      <Table
        label="Log"
        hasKeys={false}
        isLoading={isLoading}
        rows={rows}
        keyOf={({ key }) => key}
        columns={[
          {
            head: "Time",
            width: 124,
            class: "mono muted",
            cell: ({ entry }) => (
              <span title={instantText(entry.time)}>{clockText(entry.time, now, true)}</span>
            ),
          },
          { head: "State", width: 116, cell: ({ entry }) => <Chip state={entry.state} /> },
          {
            head: "What happened",
            class: "soft full",
            cell: ({ entry }) => <span title={entryText(entry, now)}>{entryText(entry, now)}</span>,
          },
        ]}
        empty={
          <p class="pad muted">
            {problem === null
              ? "The log of this message is no longer kept."
              : `The log cannot be shown: ${problem}.`}
          </p>
        }
      />
      {entries.length > shown.length ? (
        <div class="more">
          <Button isSmall kind="quiet" onPress={() => setWhole(true)}>
            Show {counted(entries.length - shown.length, "older entry", "older entries")}
          </Button>
        </div>
      ) : null}
    </article>
  );
}

const SHOWN_MAX = 8;
