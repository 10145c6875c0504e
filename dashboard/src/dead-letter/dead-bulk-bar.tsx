/** What can be done with the chosen dead letters, and how far it has come. */
import { countText } from "../app/format.ts";
import { Button } from "../parts/button.tsx";
import { Notice } from "../parts/notice.tsx";
import { BulkOutcome } from "./bulk-outcome.tsx";
import { type BulkJob, dismissJob, job, stopJob } from "./bulk-job.ts";
import { thingsText } from "./bulk-dialog.tsx";
import type { DeadAction } from "./dead-letter.ts";
import { type Chosen, countOf, isAbout } from "./dead-selection.ts";
import { groupCount } from "./group-count.ts";

interface DeadBulkBarProps {
  readonly chosen: Chosen;
  readonly onAction: (action: DeadAction) => void;
  readonly onClear: () => void;
  /** Chooses everything; absent when everything is chosen. */
  readonly selectAll?: { readonly count: string; readonly onPress: () => void } | undefined;
}

export function DeadBulkBar({ chosen, onAction, onClear, selectAll }: DeadBulkBarProps) {
  const running = job.value;
  if (running !== null && running.state !== "ended") return <Progress running={running} />;
  const messages = countOf(chosen, "messages");
  const runs = countOf(chosen, "runs");
  const total = messages + runs;
  if (total === 0) return null;
  const isAtLeast = isAbout(chosen);
  const many = (count: number, what: string): string =>
    `${groupCount({ count, isAtLeast })} ${count === 1 ? what : `${what}s`}`;
  const parts = [
    ...(messages > 0 ? [many(messages, "message")] : []),
    ...(runs > 0 ? [many(runs, "run")] : []),
  ];
  return (
    <div class="bulk" role="toolbar" aria-label="Selected dead letters">
      <span class="num">
        <b>{groupCount({ count: total, isAtLeast })} selected</b>{" "}
        <span class="soft">{parts.join(", ")}</span>{" "}
        {selectAll === undefined ? null : (
          <button type="button" class="link-button" onClick={selectAll.onPress}>
            Select all {selectAll.count}
          </button>
        )}
      </span>
      <div class="acts">
        <Button kind="quiet" class="hide-s" onPress={onClear}>
          Clear
        </Button>
        <Button kind="danger" icon="trash" onPress={() => onAction("delete")}>
          Delete {groupCount({ count: total, isAtLeast })}
        </Button>
        {runs === 0 ? null : (
          <>
            <Button icon="retry" onPress={() => onAction("restart")}>
              Restart {many(runs, "run")}
            </Button>
            <Button
              icon="play"
              kind={messages === 0 ? "primary" : ""}
              shortcut={messages === 0 ? "r" : undefined}
              onPress={() => onAction("resume")}
            >
              Resume {many(runs, "run")}
            </Button>
          </>
        )}
        {messages === 0 ? null : (
          <Button kind="primary" icon="message" shortcut="r" onPress={() => onAction("retry")}>
            Retry {many(messages, "message")}
          </Button>
        )}
      </div>
    </div>
  );
}

function Progress({ running }: { readonly running: BulkJob }) {
  const { action, done, total, state } = running;
  return (
    <div class="bulk" role="toolbar" aria-label="Progress">
      <span class="num grow" role="status">
        <b>
          {state === "stopping" ? "Stopping" : DOING[action]} {countText(done)} of{" "}
          {countText(total)}
        </b>
        <svg class="meter" role="img" aria-label={`${done} of ${total}`}>
          <rect class="live" width={`${(100 * done) / Math.max(1, total)}%`} height="6" />
        </svg>
      </span>
      <div class="acts">
        <Button
          icon="x"
          whyNot={state === "stopping" ? "The last request has not ended" : null}
          onPress={stopJob}
        >
          Stop
        </Button>
      </div>
    </div>
  );
}

/** What came of the last action, when it was not all that was asked for. */
export function BulkResult() {
  const ended = job.value;
  if (ended === null || ended.state !== "ended") return null;
  const { action, done, total, failures, problem, kinds } = ended;
  const close = <Button isSmall kind="quiet" icon="x" label="Close" onPress={dismissJob} />;
  const title = `${DONE[action]} ${thingsText(kinds, done)}.`;
  if (failures.length === 0 && problem === null) {
    return (
      <Notice tone="info" icon="check" title={title} actions={close}>
        <BulkOutcome ended={ended} />
        {done < total ? ` Stopped before the other ${countText(total - done)}.` : ""}
      </Notice>
    );
  }
  return (
    <>
      <Notice title={title} actions={close}>
        {problem === null
          ? `${countText(failures.length)} could not be ${DONE[action].toLowerCase()}.`
          : `The others could not be ${DONE[action].toLowerCase()}: ${problem}`}{" "}
        <BulkOutcome ended={ended} />
      </Notice>
      {failures.length === 0 ? null : (
        <ul class="card list" aria-label="What failed">
          {failures.slice(0, SHOWN_MAX).map(({ dlqId, url, why }) => (
            <li key={dlqId}>
              <code>{url === "" ? dlqId : url}</code>
              <span class="soft cut">{why}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const DOING: Readonly<Record<DeadAction, string>> = {
  retry: "Retrying",
  resume: "Resuming",
  restart: "Restarting",
  delete: "Deleting",
};
const DONE: Readonly<Record<DeadAction, string>> = {
  retry: "Retried",
  resume: "Resumed",
  restart: "Restarted",
  delete: "Deleted",
};
const SHOWN_MAX = 20;
