/** What came of messages and runs that were sent again: delivered, failed again, or under way. */
import type { LogPage } from "../../../sdk/src/answers/message.ts";
import type { RunPage } from "../../../sdk/src/answers/workflow.ts";
import { call, withQuery } from "../app/api.ts";
import { countText } from "../app/format.ts";
import { useNews } from "../app/news.ts";
import type { BulkJob } from "./bulk-job.ts";
import type { DeadKind } from "./dead-letter.ts";

/** The end of each by its id, as far as it is known. It only grows, and belongs to the newest action. */
let ends = new Map<string, End>();
let endsOf: readonly string[] = [];

type End = "done" | "failed" | "canceled";

export function BulkOutcome({ ended }: { readonly ended: BulkJob }) {
  const made = ended.made.slice(0, WATCHED_MAX);
  const kind: DeadKind = ended.action === "retry" ? "messages" : "runs";
  const name = `/v2/${kind === "messages" ? "logs" : "workflows/logs"} of ${made.length} from ${made[0] ?? ""}`;
  const load = (gone: AbortSignal): Promise<ReadonlyMap<string, End>> => endsIn(kind, made, gone);
  const found = useNews(made.length === 0 ? null : { name, load }, () => undefined, 0);
  if (made.length === 0 || found.value === null) return null;
  const known = found.value;
  const idsOf = (end: End): string[] => made.filter((id) => known.get(id) === end);
  const failed = idsOf("failed");
  const open = made.length - known.size;
  const parts = [
    [idsOf("done").length, kind === "messages" ? "delivered" : "succeeded"],
    [failed.length, "failed again"],
    [idsOf("canceled").length, "canceled"],
    [open, "under way"],
  ].filter(([count]) => count !== 0);
  const of = ended.made.length > made.length ? `Of the first ${countText(made.length)}: ` : "";
  return (
    <>
      {of}
      {parts.map(([count, words]) => `${countText(Number(count))} ${words}`).join(", ")}.{" "}
      <IdsLink kind={kind} ids={made} words="See them" />{" "}
      {failed.length === 0 ? null : (
        <IdsLink kind={kind} ids={failed} words="See the failed ones" />
      )}
    </>
  );
}

interface IdsLinkProps {
  readonly kind: DeadKind;
  readonly ids: readonly string[];
  readonly words: string;
}

const LISTS_OF: Readonly<Record<DeadKind, string>> = {
  messages: "/messages?ids=",
  runs: "/runs?run=",
};

/** As many as fit into an address. */
function IdsLink({ kind, ids, words }: IdsLinkProps) {
  const shown = ids.slice(-LINKED_MAX);
  return (
    <a class="link" href={`${LISTS_OF[kind]}${shown.map(encodeURIComponent).join(",")}`}>
      {words}
      {shown.length < ids.length ? ` (the last ${shown.length})` : ""}
    </a>
  );
}

/** Asks only for those whose end is not known. */
async function endsIn(
  kind: DeadKind,
  made: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, End>> {
  if (endsOf[0] !== made[0] || endsOf.length !== made.length) {
    ends = new Map();
    endsOf = made;
  }
  const open = made.filter((id) => !ends.has(id));
  for (let start = 0; start < open.length; start += IDS_AT_ONCE) {
    const ids = open.slice(start, start + IDS_AT_ONCE);
    const read = kind === "messages" ? messageEnds : runEnds;
    for (const [id, end] of await read(ids, signal)) ends.set(id, end);
  }
  return new Map(ends);
}

async function messageEnds(
  ids: readonly string[],
  signal: AbortSignal,
): Promise<(readonly [string, End])[]> {
  const query = { messageIds: ids.join(","), state: "DELIVERED,FAILED,CANCELED", count: 1_000 };
  const { logs } = await call<LogPage>(withQuery("/v2/logs", query), { signal });
  return logs.map(({ messageId, state }) => [messageId, MESSAGE_ENDS[state] ?? "canceled"]);
}

async function runEnds(
  ids: readonly string[],
  signal: AbortSignal,
): Promise<(readonly [string, End])[]> {
  const query = { workflowRunId: ids.join(","), count: ids.length };
  const { runs } = await call<RunPage>(withQuery("/v2/workflows/logs", query), { signal });
  return runs.flatMap(({ workflowRunId, workflowState }) => {
    const end = RUN_ENDS[workflowState];
    return end === undefined ? [] : [[workflowRunId, end] as const];
  });
}

const MESSAGE_ENDS: Readonly<Record<string, End>> = { DELIVERED: "done", FAILED: "failed" };
const RUN_ENDS: Readonly<Record<string, End>> = {
  RUN_SUCCESS: "done",
  RUN_FAILED: "failed",
  RUN_CANCELED: "canceled",
};
const WATCHED_MAX = 1_000;
const LINKED_MAX = 200;
const IDS_AT_ONCE = 50;
