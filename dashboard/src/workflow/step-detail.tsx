/** The chosen step: what it is, its attempts, what it was given and what it gave. */
import { useState } from "preact/hooks";
import type { StepError, StepLog } from "../../../sdk/src/answers/workflow.ts";
import { clockText, durationText, shortId } from "../app/format.ts";
import { useKeys } from "../app/keys.ts";
import { messageHref } from "../message/message-href.ts";
import { bodyOfText } from "../parts/body-text.ts";
import { Button } from "../parts/button.tsx";
import { Chip } from "../parts/chip.tsx";
import { CodeView } from "../parts/code-view.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { HeaderList, headerText } from "../parts/header-list.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { runHref } from "./run-log.ts";
import type { StepAttempt, TimedStep } from "./run-timeline.ts";
import { errorWord, openText } from "./run-state.ts";
import { tookText } from "./waterfall-row.tsx";

interface StepDetailProps {
  readonly timed: TimedStep;
  readonly now: number;
  readonly onClose: () => void;
  /** Sends the event that the step waits for; absent when that cannot be. */
  readonly onNotify?: (() => void) | undefined;
}

export function StepDetail({ timed, now, onClose, onNotify }: StepDetailProps) {
  const { step, name, attempts } = timed;
  const [picked, setPicked] = useState<number | null>(null);
  const failed = attempts.filter(({ error }) => error !== null);
  const chosen =
    failed.find(({ number }) => number === picked) ??
    (step.state === "STEP_SUCCESS" ? undefined : failed.at(-1));
  const move = (by: number): void => {
    const at = chosen === undefined ? failed.length : failed.indexOf(chosen);
    setPicked(failed[Math.max(0, Math.min(failed.length - 1, at + by))]?.number ?? null);
  };
  useKeys({ "[": () => move(-1), "]": () => move(1) });
  return (
    <aside class="card" aria-label={`Step ${name}`}>
      <header>
        <h2 class="cut" title={name}>
          {name}
        </h2>
        <Chip state={shownState(timed)} />
        <div class="acts">
          <Button isSmall kind="quiet" icon="x" label="Close panel" onPress={onClose} />
        </div>
      </header>
      <StepFacts timed={timed} now={now} />
      {onNotify === undefined ? null : (
        <div class="pad split-v row">
          <span class="grow soft">Waits for the event {step.waitEventId}</span>
          <Button isSmall kind="primary" icon="event" onPress={onNotify}>
            Notify
          </Button>
        </div>
      )}
      {attempts.length > 1 || failed.length > 0 ? (
        <AttemptList attempts={attempts} chosen={chosen ?? null} now={now} onChoose={setPicked} />
      ) : null}
      {chosen === undefined ? null : <ErrorTabs error={chosen.error!} />}
      <Given step={step} />
      <Result step={step} />
    </aside>
  );
}

function shownState({ step, kind }: TimedStep): string {
  if (step.state !== "STEP_PROGRESS") return step.state;
  return kind === "sleep" ? "sleeping" : kind === "event" ? "waiting-for-event" : step.state;
}

function StepFacts({ timed, now }: { readonly timed: TimedStep; readonly now: number }) {
  const { step, besides, startedAt, endedAt } = timed;
  const waitedMs = betweenMs(timed);
  return (
    <div class="pad">
      <dl class="kv">
        <dt>Type</dt>
        <dd title={typeText(timed)}>{typeText(timed)}</dd>
        <dt>Started</dt>
        <dd class="num">{clockText(startedAt, now, true)}</dd>
        <dt>{endedAt === null ? "For" : "Took"}</dt>
        <dd class="num">
          {tookText(timed, now)}
          {waitedMs > 0 ? `, ${durationText(waitedMs)} between attempts` : ""}
        </dd>
        {endedAt === null ? (
          <>
            <dt>Now</dt>
            <dd>{openText(step, now)}</dd>
          </>
        ) : null}
        {step.callUrl === undefined ? null : (
          <>
            <dt>Called</dt>
            <dd title={step.callUrl}>
              {step.callMethod} {step.callUrl}
            </dd>
          </>
        )}
        {step.waitEventId === undefined ? null : (
          <>
            <dt>Event</dt>
            <dd class="mono">{step.waitEventId}</dd>
          </>
        )}
        <ChildFact step={step} />
        <dt>Message</dt>
        <dd class="mono">
          <a class="link" href={messageHref({ id: step.messageId })}>
            {shortId(step.messageId)}
          </a>
        </dd>
      </dl>
      {besides.length > 3 ? <p class="hint">Beside {besides.join(", ")}</p> : null}
    </div>
  );
}

function ChildFact({ step }: { readonly step: StepLog }) {
  const { invokedWorkflowRunId: id, invokedWorkflowCreatedAt: createdAt } = step;
  if (id === undefined) return null;
  return (
    <>
      <dt>Run</dt>
      <dd class="mono">
        <a class="link" href={runHref(id, createdAt)}>
          {shortId(id)}
        </a>
      </dd>
    </>
  );
}

function typeText({ step, besides }: TimedStep): string {
  const type = TYPES[step.stepType ?? ""] ?? step.stepType ?? "not known before it ends";
  if (besides.length === 0) return type;
  const [first = ""] = besides;
  return besides.length === 1
    ? `${type}, in parallel with “${first}”`
    : `${type}, in parallel with ${besides.length} others`;
}

const TYPES: Readonly<Record<string, string>> = {
  Run: "run",
  Call: "call",
  SleepFor: "sleep",
  SleepUntil: "sleep until",
  Wait: "wait for event",
  WaitForWebhook: "wait for webhook",
  CreateWebhook: "create webhook",
  Invoke: "run of another workflow",
  Notify: "notify",
};

function betweenMs({ attempts }: TimedStep): number {
  return attempts.reduce((sum, attempt, index) => {
    const endedAt = attempts[index - 1]?.endedAt ?? null;
    return endedAt === null ? sum : sum + Math.max(0, attempt.startedAt - endedAt);
  }, 0);
}

interface AttemptListProps {
  readonly attempts: readonly StepAttempt[];
  readonly chosen: StepAttempt | null;
  readonly now: number;
  readonly onChoose: (number: number) => void;
}

function AttemptList({ attempts, chosen, now, onChoose }: AttemptListProps) {
  return (
    <ul class="list num attempt-list">
      {attempts.map((attempt, index) => {
        const { number, error, startedAt, endedAt } = attempt;
        const before = attempts[index - 1]?.endedAt ?? null;
        const after = before === null ? "" : `, after ${durationText(startedAt - before)}`;
        const took = durationText(Math.max(0, (endedAt ?? now) - startedAt));
        const isOn = attempt === chosen;
        const word = error === null ? (endedAt === null ? "…" : "ok") : errorWord(error);
        return (
          <li key={number} class={isOn ? "on" : undefined}>
            <span class={`status cut ${error === null ? "ok" : "bad"}`} title={word}>
              {word}
            </span>
            {error === null ? (
              <span class="grow">
                Attempt {number}
                {after}
              </span>
            ) : (
              <button
                type="button"
                class="grow plain"
                aria-pressed={isOn}
                onClick={() => onChoose(number)}
              >
                {isOn ? <b>{`Attempt ${number}${after}`}</b> : `Attempt ${number}${after}`}
              </button>
            )}
            <span class="muted">{took}</span>
          </li>
        );
      })}
    </ul>
  );
}

function ErrorTabs({ error }: { readonly error: StepError }) {
  const [tab, setTab] = useState<"error" | "headers" | "raw">("error");
  const body = bodyOfText(error.body === undefined || error.body === "" ? error.error : error.body);
  const headers = error.headers ?? {};
  const raw = bodyOfText(`${headerText(headers)}\n\n${error.body ?? ""}`);
  return (
    <>
      <div class="split-v">
        <Tabs
          label="Answer"
          value={tab}
          onChoose={setTab}
          tabs={[
            { name: "error", title: "Error" },
            { name: "headers", title: "Headers" },
            { name: "raw", title: "Raw" },
          ]}
        />
      </div>
      {tab === "error" ? <CodeView body={body} fileName="error.bin" label="Error" /> : null}
      {tab === "headers" ? <HeaderList headers={headers} /> : null}
      {tab === "raw" ? <CodeView body={raw} isRaw fileName="error.bin" label="Raw" /> : null}
    </>
  );
}

/** What a step was given is known of calls and of runs that it started. */
function Given({ step }: { readonly step: StepLog }) {
  const text = step.callBody ?? step.invokedWorkflowRunBody;
  return text === undefined || text === "" ? null : <Body title="Input" text={text} />;
}

function Result({ step }: { readonly step: StepLog }) {
  const text = step.callResponseBody ?? step.out;
  if (text === undefined || text === "") return null;
  return <Body title={step.callUrl === undefined ? "Result" : "Answer"} text={text} />;
}

function Body({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <>
      <header class="split-v">
        <h2>{title}</h2>
        <div class="acts">
          <CopyButton text={text} what={title.toLowerCase()} />
        </div>
      </header>
      <CodeView body={bodyOfText(text)} fileName={`${title.toLowerCase()}.bin`} label={title} />
    </>
  );
}
