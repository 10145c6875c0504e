/** One group: a row with its own disclosure, and its dead letters below it when it is open. */
import { useId } from "preact/hooks";
import { moment } from "../app/clock.ts";
import { countText } from "../app/format.ts";
import { isReadOnly } from "../app/session.ts";
import { Icon } from "../parts/icon.tsx";
import { Spark } from "../parts/spark.tsx";
import { Time } from "../parts/time.tsx";
import { type DeadGroup, groupDetail, groupTitle, lastDay } from "./dead-groups.ts";
import type { DeadLetter } from "./dead-letter.ts";
import { useDeadList } from "./dead-list.ts";
import type { DeadSelection } from "./dead-selection.ts";
import { DeadTable } from "./dead-table.tsx";
import { groupCount } from "./group-count.ts";

interface DeadGroupRowProps {
  readonly group: DeadGroup;
  /** The newest of them that are known. */
  readonly samples: readonly DeadLetter[];
  readonly selection: DeadSelection;
  readonly isOpen: boolean;
  readonly version: number;
  readonly onTurn: () => void;
}

export function DeadGroupRow(props: DeadGroupRowProps) {
  const { group, samples, selection, isOpen, onTurn } = props;
  const title = groupTitle(group, samples);
  const panel = useId();
  const isOn = selection.chosen.batches.has(group.key);
  const isSome = !isOn && samples.some(({ dlqId }) => selection.chosen.letters.has(dlqId));
  return (
    <section
      class={`group ${isOpen ? "open" : ""}`}
      aria-label={`${title}, ${group.kind}`}
      data-row
    >
      <div class={`group-head ${isReadOnly.value ? "read-only" : ""}`}>
        {isReadOnly.value ? null : (
          <input
            type="checkbox"
            class={`check ${isSome ? "some" : ""}`}
            aria-label={`Select all ${groupCount(group)} ${group.kind}: ${title}`}
            checked={isOn}
            onChange={() =>
              selection.toggleBatch(
                group,
                samples.map(({ dlqId }) => dlqId),
              )
            }
          />
        )}
        <button
          type="button"
          class="plain group-name"
          aria-expanded={isOpen}
          aria-controls={isOpen ? panel : undefined}
          data-stop
          onClick={onTurn}
        >
          <span class="turn">
            <Icon name="right" />
          </span>
          <span class="cut">
            <b title={title}>{title}</b>
            <br />
            <span class="small soft">{groupDetail(group, samples, moment.value)}</span>
          </span>
        </button>
        <Trend group={group} />
        <Kind of={group} />
        <span class="muted small r hide-s">
          <Time at={group.lastAt} form="sentence" />
        </span>
        <b class="num r">{groupCount(group)}</b>
      </div>
      {isOpen ? (
        <div id={panel}>
          <GroupLetters {...props} />
        </div>
      ) : null}
    </section>
  );
}

/** By the hour, of the last day. */
function Trend({ group }: { readonly group: DeadGroup }) {
  const values = lastDay(group.hours, moment.value);
  const sum = values.reduce((all, count) => all + count, 0);
  return (
    <span class="hide-m">
      <Spark
        kind="bars"
        values={values}
        label={`${countText(sum)} in 24 hours, at most ${countText(Math.max(...values))} an hour`}
      />
    </span>
  );
}

function Kind({ of: { kind } }: { readonly of: DeadGroup }) {
  return (
    <span class="row soft group-kind">
      <Icon name={kind === "messages" ? "message" : "runs"} />
      {kind}
    </span>
  );
}

function GroupLetters({ group, selection, version }: DeadGroupRowProps) {
  const list = useDeadList(group.kind, group.query, GROUP_PAGE, version);
  const own = selection.forTable(group, group.kind);
  const isWhole = selection.chosen.batches.has(group.key);
  const keys = isWhole ? new Set(list.letters.map(({ dlqId }) => dlqId)) : own.keys;
  return (
    <DeadTable
      kind={group.kind}
      list={list}
      selection={{ ...own, keys }}
      of={group}
      hasStatus={"host" in group}
    />
  );
}

const GROUP_PAGE = 20;
