/** Runs as they should be, in the plainest way: no rules, no rows, one thing after the other. */
export interface ModelRun {
  readonly runId: string;
  readonly createdAt: number;
  phase: "started" | "success" | "failed" | "canceled";
  readonly entries: ModelEntry[];
  waiters: ModelWaiter[];
  events: { readonly eventId: string; readonly data: string }[];
  /** Messages that wait to be sent, and those that are on their way. */
  readonly waiting: Set<string>;
  readonly underWay: Set<string>;
  /** The step that waits for its end. */
  readonly invoker: { readonly run: ModelRun; readonly stepId: number } | null;
  /** It goes on, and there is nothing but its payload. */
  readonly isIdle: boolean;
}

export interface ModelEntry {
  /** What may happen once: the payload, the plan of a step, its opening, its result. */
  readonly what: string;
  readonly messageId: string;
  /** What ended a wait: the data of its event, or the lack of one. */
  readonly out?: string | null | undefined;
}

export interface ModelWaiter {
  readonly eventId: string;
  readonly stepId: number;
  readonly deadlineAt: number;
}

export interface ModelWait extends ModelWaiter {
  readonly messageId: string;
  readonly resultId: string;
}

export interface ModelInvocation {
  readonly runId: string;
  readonly stepId: number;
  readonly at: number;
  readonly messageId: string;
  /** Of the entry that opens the step. */
  readonly openId: string;
}

/** What every run returns that comes to its end. */
export const RESPONSE = '"response"';

type Submitted = { readonly messageId: string; readonly deduplicated: boolean };

export class ModelRuns {
  readonly all: ModelRun[] = [];
  deadLetters = 0;

  latest(runId: string): ModelRun | undefined {
    return this.all.findLast((run) => run.runId === runId);
  }

  /** The one made at that instant, else the latest; undefined when it is over. */
  active(runId: string, createdAt?: number): ModelRun | undefined {
    const run =
      createdAt === undefined
        ? this.latest(runId)
        : this.all.find((one) => one.runId === runId && one.createdAt === createdAt);
    return run?.phase === "started" ? run : undefined;
  }

  start(
    runId: string,
    at: number,
    messageId: string,
    invoker: ModelRun["invoker"] = null,
  ): Submitted & { createdAt: number } {
    const known = this.latest(runId);
    if (known?.phase === "started") {
      const first = known.entries[0]!.messageId;
      return { messageId: first, deduplicated: true, createdAt: known.createdAt };
    }
    const run: ModelRun = {
      runId,
      createdAt: Math.max(at, (known?.createdAt ?? 0) + 1),
      phase: "started",
      entries: [{ what: "payload", messageId }],
      waiters: [],
      events: [],
      waiting: new Set([messageId]),
      underWay: new Set(),
      invoker,
      get isIdle(): boolean {
        return this.phase === "started" && this.entries.length === 1;
      },
    };
    this.all.push(run);
    return { messageId, deduplicated: false, createdAt: run.createdAt };
  }

  /** A step of one run starts another; if the name of that one is taken, the step has failed. */
  invoke(
    parent: ModelRun,
    { runId, stepId, at, messageId, openId }: ModelInvocation,
  ): Submitted & { createdAt: number } {
    const first = messageOf(parent, `o:${stepId}`) ?? messageOf(parent, `r:${stepId}`);
    if (first !== undefined) return { messageId: first, deduplicated: true, createdAt: at };
    const started = this.start(runId, at, messageId, { run: parent, stepId });
    if (started.deduplicated) close(parent, stepId, openId, endText("failed"));
    else parent.entries.push({ what: `o:${stepId}`, messageId: openId });
    return started;
  }

  append(run: ModelRun, items: readonly { what: string; messageId: string }[]): Submitted[] {
    return items.map(({ what, messageId }) => {
      const first = messageOf(run, what);
      if (first !== undefined) return { messageId: first, deduplicated: true };
      run.entries.push({ what, messageId });
      run.waiting.add(messageId);
      return { messageId, deduplicated: false };
    });
  }

  wait(run: ModelRun, { messageId, resultId, ...waiter }: ModelWait): Submitted {
    const { stepId, eventId } = waiter;
    const first = messageOf(run, `o:${stepId}`) ?? messageOf(run, `r:${stepId}`);
    if (first !== undefined) return { messageId: first, deduplicated: true };
    run.entries.push({ what: `o:${stepId}`, messageId });
    const index = run.events.findIndex((event) => event.eventId === eventId);
    if (index === -1) run.waiters.push(waiter);
    else close(run, stepId, resultId, run.events.splice(index, 1)[0]!.data);
    return { messageId, deduplicated: false };
  }

  /** Answers the steps that were told, run by run. */
  notify(
    runs: readonly (ModelRun | undefined)[],
    eventId: string,
    data: string,
    messageIds: readonly string[],
    isKept: boolean,
  ): { told: { runId: string; stepId: number }[]; kept: number; refused: number } {
    const told: { runId: string; stepId: number }[] = [];
    let kept = 0;
    for (const run of runs) {
      if (run === undefined) continue;
      const ours = run.waiters
        .filter((waiter) => waiter.eventId === eventId)
        .toSorted((one, other) => one.stepId - other.stepId);
      run.waiters = run.waiters.filter((waiter) => waiter.eventId !== eventId);
      const open = ours.filter(({ stepId }) => messageOf(run, `r:${stepId}`) === undefined);
      for (const { stepId } of open) {
        close(run, stepId, messageIds[told.length]!, data);
        told.push({ runId: run.runId, stepId });
      }
      if (open.length > 0 || !isKept) continue;
      run.events.push({ eventId, data });
      kept += 1;
    }
    return { told, kept, refused: runs.filter((run) => run === undefined).length };
  }

  timeOut(
    run: ModelRun | undefined,
    { eventId, stepId }: Omit<ModelWaiter, "deadlineAt">,
    at: number,
    messageId: string,
  ): "timed-out" | "gone" {
    const waiter = run?.waiters.find((one) => one.eventId === eventId && one.stepId === stepId);
    if (run === undefined || waiter === undefined) return "gone";
    const isClosed = messageOf(run, `r:${stepId}`) !== undefined;
    if (!isClosed && waiter.deadlineAt > at) return "gone";
    run.waiters = run.waiters.filter((one) => one !== waiter);
    if (isClosed) return "gone";
    close(run, stepId, messageId, null);
    return "timed-out";
  }

  /** The waiters for the run are notified with this message. */
  end(
    run: ModelRun | undefined,
    phase: "success" | "canceled" | "failed",
    toldId: string,
  ): "ended" | "absent" {
    if (run === undefined) return "absent";
    run.phase = phase;
    run.waiters = [];
    run.events = [];
    run.waiting.clear();
    if (run.invoker !== null) tell(run.invoker, phase, toldId);
    return "ended";
  }

  /** A message could not be delivered: with it the run fails, and says so to its endpoint. */
  die(run: ModelRun, messageId: string, reportId: string, toldId: string): void {
    run.underWay.delete(messageId);
    if (run.phase !== "started") return;
    this.end(run, "failed", toldId);
    this.deadLetters += 1;
    run.waiting.add(reportId);
  }
}

/** A run that has failed keeps what it is told, and is not called any more. */
function tell(
  { run, stepId }: NonNullable<ModelRun["invoker"]>,
  phase: "success" | "canceled" | "failed",
  messageId: string,
): void {
  if (run.phase !== "started" && run.phase !== "failed") return;
  if (messageOf(run, `r:${stepId}`) !== undefined) return;
  close(run, stepId, messageId, endText(phase));
  if (run.phase === "failed") run.waiting.delete(messageId);
}

/** How the end of a run is told to the step that waits for it. */
function endText(phase: "success" | "canceled" | "failed"): string {
  const body = phase === "success" ? RESPONSE : undefined;
  return JSON.stringify({ body, isCanceled: phase === "canceled", isFailed: phase === "failed" });
}

function messageOf(run: ModelRun, what: string): string | undefined {
  return run.entries.find((entry) => entry.what === what)?.messageId;
}

function close(run: ModelRun, stepId: number, messageId: string, out: string | null): void {
  run.entries.push({ what: `r:${stepId}`, messageId, out });
  run.waiting.add(messageId);
}
