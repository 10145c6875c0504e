/** Runs as they should be, in the plainest way: no rules, no rows, one thing after the other. */
export interface ModelRun {
  readonly runId: string;
  readonly createdAt: number;
  phase: "started" | "success" | "failed" | "cancelled";
  readonly entries: ModelEntry[];
  waiters: ModelWaiter[];
  events: { readonly eventId: string; readonly data: string }[];
  /** Messages that wait to be sent, and those that are on their way. */
  readonly waiting: Set<string>;
  readonly underWay: Set<string>;
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

  start(runId: string, at: number, messageId: string): Submitted & { createdAt: number } {
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
    };
    this.all.push(run);
    return { messageId, deduplicated: false, createdAt: run.createdAt };
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
    const place = run.events.findIndex((event) => event.eventId === eventId);
    if (place === -1) run.waiters.push(waiter);
    else close(run, stepId, resultId, run.events.splice(place, 1)[0]!.data);
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

  end(run: ModelRun | undefined, phase: "success" | "cancelled" | "failed"): "ended" | "absent" {
    if (run === undefined) return "absent";
    run.phase = phase;
    run.waiters = [];
    run.events = [];
    run.waiting.clear();
    return "ended";
  }

  /** A message could not be delivered: with it the run fails, and says so to its endpoint. */
  die(run: ModelRun, messageId: string, reportId: string): void {
    run.underWay.delete(messageId);
    if (run.phase !== "started") return;
    this.end(run, "failed");
    this.deadLetters += 1;
    run.waiting.add(reportId);
  }
}

function messageOf(run: ModelRun, what: string): string | undefined {
  return run.entries.find((entry) => entry.what === what)?.messageId;
}

function close(run: ModelRun, stepId: number, messageId: string, out: string | null): void {
  run.entries.push({ what: `r:${stepId}`, messageId, out });
  run.waiting.add(messageId);
}
