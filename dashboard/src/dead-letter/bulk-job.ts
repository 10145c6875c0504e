/** A change of many dead letters: page by page, with progress, until it is stopped. It continues after one leaves the screen. */
import { signal } from "@preact/signals";
import type { DeletedCount, RetriedMessages } from "../../../sdk/src/answers/dead-letter.ts";
import type { RerunRun, Resumed } from "../../../sdk/src/answers/dead-run.ts";
import type { Published } from "../../../sdk/src/answers/message.ts";
import { ApiError, call, noteChanged, withQuery } from "../app/api.ts";
import { whenSessionOver } from "../app/session.ts";
import type { Batch } from "./dead-groups.ts";
import { type DeadAction, type DeadKind, type DeadLetter, LISTS } from "./dead-letter.ts";
import { loadPage } from "./dead-list.ts";
import type { Chosen } from "./dead-selection.ts";

export interface BulkFailure {
  readonly dlqId: string;
  readonly url: string;
  readonly why: string;
}

export interface BulkJob {
  readonly action: DeadAction;
  readonly kinds: readonly DeadKind[];
  readonly total: number;
  readonly done: number;
  /** The ids of the new messages or runs. */
  readonly made: readonly string[];
  readonly failures: readonly BulkFailure[];
  readonly state: "running" | "stopping" | "ended";
  /** Why nothing more could be done. */
  readonly problem: string | null;
}

export const job = signal<BulkJob | null>(null);
// What one person began is neither done nor shown to the next.
whenSessionOver(() => (job.value = null));

export interface BulkOrder {
  readonly action: DeadAction;
  readonly kinds: readonly DeadKind[];
  readonly chosen: Chosen;
  readonly total: number;
  /** Spread over this time, as `10m`; null at once. */
  readonly over: string | null;
}

export function stopJob(): void {
  if (job.value?.state === "running") job.value = { ...job.value, state: "stopping" };
}

export function dismissJob(): void {
  if (job.value?.state === "ended") job.value = null;
}

export async function startJob(order: BulkOrder, onEnd: () => void): Promise<void> {
  if (job.value !== null && job.value.state !== "ended") return;
  const { action, kinds, total, chosen } = order;
  const begun = { done: 0, made: [], failures: [], state: "running", problem: null } as const;
  job.value = { action, kinds, total, ...begun };
  try {
    for (const kind of kinds) {
      for (const batch of chosen.batches.values()) {
        if (batch.kind === kind) await byFilter(order, batch);
      }
      const ids = [...chosen.letters].filter(([, each]) => each === kind).map(([id]) => id);
      for (let at = 0; at < ids.length && isGoing(); at += PAGE) {
        await someIds(
          order,
          kind,
          ids.slice(at, at + PAGE).map((dlqId) => ({ dlqId, url: "" })),
        );
      }
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    change(() => ({ problem: error.message }));
  } finally {
    change(() => ({ state: "ended" }));
    for (const kind of kinds) noteChanged(LISTS[kind]);
    onEnd();
  }
}

function isGoing(): boolean {
  return job.value?.state === "running";
}

/** Nothing, once the session is over. */
function change(of: (now: BulkJob) => Partial<BulkJob>): void {
  const now = job.value;
  if (now !== null) job.value = { ...now, ...of(now) };
}

function noteDone(count: number, made: readonly string[]): void {
  change((now) => {
    const done = now.done + count;
    return { done, made: [...now.made, ...made], total: Math.max(now.total, done) };
  });
}

type BulkAnswer = RetriedMessages | Resumed | DeletedCount;
/** Of an action on one dead letter. */
type OneAnswer = Partial<Published & RerunRun & RetriedMessages> | null;

async function byFilter(order: BulkOrder, batch: Batch): Promise<void> {
  let cursor: string | null = null;
  do {
    try {
      const query = { ...batch.query, ...overOf(order), count: PAGE, cursor };
      const path = withQuery(bulkPath(order.action, batch.kind), query);
      const answer: BulkAnswer = await call(path, {
        method: methodOf(order.action),
        isQuiet: true,
      });
      noteDone(countIn(answer), idsIn(answer));
      cursor = answer.cursor === undefined || answer.cursor === "" ? null : answer.cursor;
    } catch (error) {
      if (!isOfOne(error)) throw error;
      // One of the page was refused: the others are tried one by one, to tell which.
      const page = await loadPage(batch.kind, batch.query, PAGE, cursor);
      await oneByOne(order, batch.kind, page.messages);
      cursor = page.cursor ?? null;
    }
  } while (cursor !== null && isGoing());
}

type Named = Pick<DeadLetter, "dlqId" | "url">;

async function someIds(order: BulkOrder, kind: DeadKind, letters: readonly Named[]): Promise<void> {
  try {
    const path = withQuery(bulkPath(order.action, kind), overOf(order));
    const body = { dlqIds: letters.map(({ dlqId }) => dlqId) };
    const answer = await call<BulkAnswer>(path, {
      method: methodOf(order.action),
      body,
      isQuiet: true,
    });
    noteDone(countIn(answer), idsIn(answer));
  } catch (error) {
    if (!isOfOne(error)) throw error;
    await oneByOne(order, kind, letters);
  }
}

async function oneByOne(
  order: BulkOrder,
  kind: DeadKind,
  letters: readonly Named[],
): Promise<void> {
  for (const { dlqId, url } of letters) {
    if (!isGoing()) return;
    try {
      const path = `${bulkPath(order.action, kind)}/${encodeURIComponent(dlqId)}`;
      const how = { method: methodOf(order.action), isQuiet: true } as const;
      const answer = await call<OneAnswer>(path, how);
      const { messageId, workflowRunId, responses = [] } = answer ?? {};
      const ids = [messageId, workflowRunId, ...responses.map((each) => each.messageId)];
      noteDone(
        1,
        ids.filter((id) => id !== undefined),
      );
    } catch (error) {
      if (!isOfOne(error)) throw error;
      const failure = { dlqId, url, why: error.message };
      change((now) => ({ failures: [...now.failures, failure] }));
    }
  }
}

/** A refusal that concerns a dead letter, not the request: that of a parameter names it. */
function isOfOne(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  if (error.status < 400 || error.status >= 500) return false;
  return ![401, 403, 429].includes(error.status) && !PARAMETERS.has(error.field ?? "");
}

export function bulkPath(action: DeadAction, kind: DeadKind): string {
  return action === "delete" ? LISTS[kind] : `${LISTS[kind]}/${action}`;
}

export function methodOf(action: DeadAction): "DELETE" | "POST" {
  return action === "delete" ? "DELETE" : "POST";
}

function overOf({ action, over }: BulkOrder): Record<string, string | null> {
  return action === "delete" ? {} : { over };
}

function countIn(answer: BulkAnswer): number {
  if ("deleted" in answer) return answer.deleted;
  return ("responses" in answer ? answer.responses : answer.workflowRuns).length;
}

function idsIn(answer: BulkAnswer): readonly string[] {
  if ("deleted" in answer) return [];
  return "responses" in answer
    ? answer.responses.map(({ messageId }) => messageId)
    : answer.workflowRuns.map(({ workflowRunId }) => workflowRunId);
}

const PAGE = 20;
/** What the request itself has, beside the dead letters that it means. */
const PARAMETERS: ReadonlySet<string> = new Set([
  "over",
  "count",
  "cursor",
  "error",
  "errorText",
  "search",
  "urlPrefix",
  "host",
  "cause",
  "responseStatus",
  "fromDate",
]);
