/** The groups, one below the other. */
import { useState } from "preact/hooks";
import { durationText } from "../app/format.ts";
import { Blank } from "../parts/blank.tsx";
import { Button } from "../parts/button.tsx";
import { useOwnAccount } from "../shell/account-facts.ts";
import type { DeadGroups } from "./dead-group-list.ts";
import { DeadGroupRow } from "./dead-group-row.tsx";
import type { DeadSelection } from "./dead-selection.ts";

interface DeadGroupsCardProps {
  readonly groups: DeadGroups;
  readonly selection: DeadSelection;
  readonly version: number;
}

export function DeadGroupsCard({ groups, selection, version }: DeadGroupsCardProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const turn = (key: string): void => {
    const next = new Set(open);
    if (!next.delete(key)) next.add(key);
    setOpen(next);
  };
  if (groups.groups === null) {
    return (
      <div class="card">
        {groups.error === null ? (
          <Loading />
        ) : (
          <Blank icon="alert" title="The dead letters cannot be shown">
            <span class="soft">{groups.error.message}</span>
            <Button isSmall onPress={groups.reload}>
              Try again
            </Button>
          </Blank>
        )}
      </div>
    );
  }
  if (groups.groups.length === 0) {
    return (
      <div class="card">
        <Blank icon="check" title="No dead letter">
          <span class="soft">
            Messages that run out of attempts and runs that fail are kept here, until you retry or
            delete them.
          </span>
        </Blank>
      </div>
    );
  }
  return (
    <div class={`card tail ${groups.error === null ? "" : "stale"}`}>
      {groups.hasNews ? (
        <button type="button" class="newpill" onClick={groups.reload}>
          Show new errors
        </button>
      ) : null}
      {groups.groups.map((group) => (
        <DeadGroupRow
          key={group.key}
          group={group}
          samples={groups.samplesOf(group)}
          selection={selection}
          isOpen={open.has(group.key)}
          version={version}
          onTurn={() => turn(group.key)}
        />
      ))}
      <Kept />
    </div>
  );
}

/** For how long they can be retried. */
function Kept() {
  const { value } = useOwnAccount();
  if (value === null) return null;
  return (
    <div class="more">
      <span>Dead letters are kept for {durationText(value.max_dlq_retention_time_milis)}.</span>
      <span class="hide-s">
        <kbd>j</kbd> <kbd>k</kbd> move · <kbd>Enter</kbd> open · <kbd>x</kbd> choose
      </span>
    </div>
  );
}

function Loading() {
  return (
    <div class="pad stack" aria-busy="true">
      {["44%", "58%", "37%"].map((width) => (
        <svg key={width} class="skel" width={width} aria-hidden="true" />
      ))}
    </div>
  );
}
