/** The flow-control keys: a limit is kept, so many at once and so many per period. */
import { useState } from "preact/hooks";
import type { FlowControlKey } from "../../../sdk/src/answers/line.ts";
import type { WaitingRow } from "../../../sdk/src/answers/message.ts";
import { act } from "../app/announce.ts";
import { call } from "../app/api.ts";
import { second } from "../app/clock.ts";
import { countText } from "../app/format.ts";
import type { Resource } from "../app/resource.ts";
import { isReadOnly } from "../app/session.ts";
import { Blank } from "../parts/blank.tsx";
import { Button } from "../parts/button.tsx";
import { Chip } from "../parts/chip.tsx";
import { Icon } from "../parts/icon.tsx";
import { Meter } from "../parts/meter.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { keyPath, periodText, rateOpensAt, rateUsed, setLinePaused } from "./line.ts";
import { PinDialog } from "./pin-dialog.tsx";
import { waitingText } from "./waiting-text.ts";
import { WhyCell } from "./why-cell.tsx";
import { reasonsOf, whyKeyWaits } from "./why-waits.ts";

interface KeysCardProps {
  readonly keys: Resource<readonly FlowControlKey[]>;
  readonly reasons: readonly WaitingRow[];
}

export function KeysCard({ keys, reasons }: KeysCardProps) {
  const [search, setSearch] = useState("");
  const [pinned, setPinned] = useState<FlowControlKey | null>(null);
  const all = keys.value ?? [];
  const rows = all.filter(({ flowControlKey }) =>
    flowControlKey.toLowerCase().includes(search.trim().toLowerCase()),
  );
  const actions = actionsColumn(setPinned);
  return (
    <article class="card">
      <header>
        <h2>Flow-control keys</h2>
        <span class="muted hide-m">keep a limit: so many at once, so many per period</span>
        {all.length > SEARCH_FROM || search !== "" ? (
          <div class="acts">
            <KeySearch value={search} onInput={setSearch} />
          </div>
        ) : null}
      </header>
      <Table
        label="Flow-control keys"
        hasKeys={false}
        columns={[...dataColumns(reasons), ...(isReadOnly.value ? [] : [actions])]}
        rows={rows}
        keyOf={({ flowControlKey }) => flowControlKey}
        isLoading={keys.isLoading}
        isStale={keys.error !== null}
        empty={
          <Blank icon="gauge" title={search === "" ? "No key yet" : "No key has this in its name"}>
            <span class="soft">
              A message with <code>Svc-Flow-Control-Key</code> creates its key.
            </span>
          </Blank>
        }
      />
      <div class="more">
        <span>
          Keys that no message used for a day disappear, unless paused or pinned.
          {all.length >= LISTED_MAX ? ` The first ${countText(LISTED_MAX)} are shown.` : ""}
        </span>
      </div>
      {pinned === null ? null : <PinDialog flowKey={pinned} onClose={() => setPinned(null)} />}
    </article>
  );
}

function KeySearch(props: { readonly value: string; readonly onInput: (text: string) => void }) {
  return (
    <div class="search">
      <Icon name="search" />
      <input
        aria-label="Search keys"
        placeholder="Search keys"
        value={props.value}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    </div>
  );
}

function dataColumns(reasons: readonly WaitingRow[]): Column<FlowControlKey>[] {
  return [
    {
      head: "Key",
      class: "full",
      cell: (key) => (
        <span class="row">
          <a
            class="cut"
            href={`/messages?key=${encodeURIComponent(key.flowControlKey)}`}
            title={key.flowControlKey}
          >
            <b>{key.flowControlKey}</b>
          </a>
          <PinTag flowKey={key} />
          {key.isPaused ? <Chip state="paused" /> : null}
        </span>
      ),
    },
    { head: "At once", width: 120, class: "mtr", cell: (key) => <AtOnce flowKey={key} /> },
    { head: "This period", width: 150, class: "mtr", cell: (key) => <Rate flowKey={key} /> },
    {
      head: "Waiting",
      width: 76,
      class: "r num lb",
      cell: ({ waitListSize, flowControlKey }) =>
        waitingText(waitListSize, reasonsOf("key", flowControlKey, reasons)),
    },
    {
      head: "Why they wait",
      width: 220,
      class: "soft why-cell",
      cell: (key) => {
        const rows = reasonsOf("key", key.flowControlKey, reasons);
        return <WhyCell why={whyKeyWaits(key, rows)} rows={rows} />;
      },
    },
  ];
}

function PinTag({ flowKey }: { readonly flowKey: FlowControlKey }) {
  const { isPinnedParallelism, isPinnedRate } = flowKey;
  if (!isPinnedParallelism && !isPinnedRate) return null;
  const what =
    isPinnedParallelism && isPinnedRate
      ? "Both limits are pinned"
      : `Its ${isPinnedRate ? "rate" : "parallelism"} is pinned`;
  return (
    <span class="tag" title={`${what}: messages cannot change it`}>
      <Icon name="pin" class="tiny" /> pinned
    </span>
  );
}

function AtOnce({ flowKey }: { readonly flowKey: FlowControlKey }) {
  const { parallelismCount, parallelismMax, waitListSize } = flowKey;
  if (parallelismMax === 0) return <span class="muted small">no limit at once</span>;
  const isHolding = waitListSize > 0 && parallelismCount >= parallelismMax;
  return (
    <>
      <span class="small num">
        {countText(parallelismCount)}
        <span class="muted"> of {countText(parallelismMax)}</span>
      </span>
      <Meter used={parallelismCount} max={parallelismMax} isHolding={isHolding} />
    </>
  );
}

function Rate({ flowKey }: { readonly flowKey: FlowControlKey }) {
  const { rateMax, ratePeriod, waitListSize } = flowKey;
  if (rateMax === 0) return <span class="muted small">no rate limit</span>;
  const now = second.value;
  const used = rateUsed(flowKey, now);
  return (
    <>
      <span class="small num">
        {countText(used)}
        <span class="muted">
          {" "}
          of {countText(rateMax)} {periodText(ratePeriod)}
        </span>
      </span>
      <Meter
        used={used}
        max={rateMax}
        isHolding={waitListSize > 0 && rateOpensAt(flowKey, now) !== null}
      />
    </>
  );
}

function actionsColumn(onPin: (key: FlowControlKey) => void): Column<FlowControlKey> {
  return {
    head: <span class="sr">Actions</span>,
    width: 120,
    class: "r acts-cell",
    cell: (key) => {
      const { flowControlKey: name, isPaused } = key;
      const isUsedUp = rateOpensAt(key, second.peek()) !== null;
      return (
        <span class="row tail-end">
          {isUsedUp ? (
            <Button
              isSmall
              kind="quiet"
              icon="retry"
              label={`Reset the rate of ${name}`}
              onPress={() => resetRate(name)}
            />
          ) : null}
          <Button
            isSmall
            kind="quiet"
            icon="pin"
            label={`Pin limits of ${name}`}
            onPress={() => onPin(key)}
          />
          <Button
            isSmall
            kind="quiet"
            icon={isPaused ? "play" : "pause"}
            label={`${isPaused ? "Resume" : "Pause"} ${name}`}
            onPress={() => setLinePaused({ kind: "key", name }, !isPaused)}
          />
        </span>
      );
    },
  };
}

async function resetRate(name: string): Promise<void> {
  const words = {
    done: `Key ${name} begins a new period.`,
    failed: `The rate of ${name} was not reset.`,
  };
  await act(() => call(keyPath(name, "resetRate"), { method: "POST" }), words);
}

const SEARCH_FROM = 8;
const LISTED_MAX = 1_000;
