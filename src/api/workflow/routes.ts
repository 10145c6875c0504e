import { type RunRef, isReplayed, type RunEntry } from "../../core/model/workflow/run.ts";
import { entryPieces } from "../../core/rules/workflow/run-entries.ts";
import type { StartedRun } from "../../core/rules/workflow/start-run.ts";
import {
  cancelRun,
  cancelRuns,
  countRuns,
  finishRun,
  listEntries,
} from "../../operations/workflow/runs.ts";
import { readTrigger, type RunStart, startRun } from "../../operations/workflow/start-run.ts";
import {
  FILTER_BODY_BYTES_MAX,
  filterBody,
  readRunCancelQuery,
  RUN_CANCEL_ROWS,
} from "../../wire/filters/filters.ts";
import { readParameters, requireNoOthers } from "../../wire/filters/filter-parameters.ts";
import { readBatchDialect } from "../../wire/headers/header-reading.ts";
import { prefixErrors } from "../../wire/headers/header-value.ts";
import { anyOf } from "../../wire/json/schema.ts";
import { BATCH, COUNTED } from "../../wire/message/message-schemas.ts";
import { readBatch, readBatchItem } from "../../wire/message/batch.ts";
import { readDestination } from "../../wire/message/destination.ts";
import type { Json } from "../../wire/message/message.ts";
import { recordWithoutHookIds } from "../../wire/workflow/hidden-steps.ts";
import { readRunPath, RUN_END_ROWS } from "../../wire/workflow/run-path.ts";
import {
  CANCELED_RUNS,
  RUN_ENTRIES,
  STARTED_RUN,
  STARTED_RUNS,
} from "../../wire/workflow/run-schemas.ts";
import { NOTIFIED, WAIT_REQUEST, WAITERS, WAITING } from "../../wire/workflow/wait.ts";
import { readRunCreatedAt } from "../../wire/workflow/workflow-headers.ts";
import { type Answer, counted, EMPTY, json } from "../http/answers/answer.ts";
import type { AccountCall, Api, Route } from "../http/server/call.ts";
import { admitHook } from "./hooks.ts";
import { notify, showWaiters, waitFor } from "./waits.ts";

/**
 * The endpoints of workflow runs. Requests of workflow endpoints count as publishing, and have no
 * rate limit.
 */
export const WORKFLOW_ROUTES: readonly Route[] = [
  {
    method: "POST",
    path: "/v2/trigger/{workflowUrl...}",
    title: "Start a run",
    needs: "write",
    handler: triggerRun,
    publishes: true,
    says: "Starts a run of the workflow at a URL. Answers once the run is stored.",
    headers: "trigger",
    body: "bytes",
    answers: { 200: STARTED_RUN },
  },
  {
    method: "POST",
    path: "/v2/batch/trigger",
    title: "Start runs",
    needs: "write",
    handler: triggerRuns,
    publishes: true,
    says: "Starts many runs in one call.",
    body: BATCH,
    answers: { 201: STARTED_RUNS },
  },
  {
    method: "DELETE",
    path: "/v2/workflows/runs",
    title: "Cancel runs",
    needs: "write",
    handler: async ({ context }, { accountId, query: given, body }) => {
      const query = readRunCancelQuery(given, await body.read(FILTER_BODY_BYTES_MAX));
      if (query.isDryRun) return counted(await countRuns(context, accountId, query));
      return json(200, { cancelled: await cancelRuns(context, accountId, query) });
    },
    lists: true,
    says: "Cancels the runs that match and have not ended, at most `count` (100). **Without a filter any run matches.**",
    query: RUN_CANCEL_ROWS,
    body: filterBody(RUN_CANCEL_ROWS),
    answers: { 200: anyOf(CANCELED_RUNS, COUNTED) },
  },
  {
    method: "GET",
    path: "/v2/workflows/runs/{workflowRunId...}",
    title: "Get the entries of a run",
    needs: "read",
    handler: async ({ context }, call) => {
      const entries = await listEntries(context, refOf(call));
      return { status: 200, body: replayed(entries, call.access.isReadOnly) };
    },
    publishes: true,
    says: "For endpoints: lists the steps of a running run, as the endpoint replays them.",
    answers: { 200: RUN_ENTRIES },
  },
  {
    method: "DELETE",
    path: "/v2/workflows/runs/{workflowRunId...}",
    title: "Cancel a run",
    needs: "write",
    handler: async ({ context }, call) => {
      const ref = refOf(call);
      requireNoOthers(call.query, RUN_END_ROWS);
      const { cancel } = readParameters(call.query, RUN_END_ROWS, "lenient");
      const response = await call.body.read(call.account.limits.messageBytesMax);
      if (cancel === false) await finishRun(context, ref, response);
      else await cancelRun(context, ref);
      return EMPTY;
    },
    publishes: true,
    says: "Cancels a run. For endpoints: with `?cancel=false` it ends the run as successful.",
    query: RUN_END_ROWS,
    body: "bytes",
    answers: { 200: null },
  },
  {
    method: "POST",
    path: "/v2/wait/{eventId...}",
    title: "Wait for an event",
    needs: "write",
    handler: waitFor,
    publishes: true,
    says: "For endpoints: makes a step wait for an event.",
    body: WAIT_REQUEST,
    answers: { 200: WAITING },
  },
  {
    method: "POST",
    path: "/v2/notify/{eventId...}",
    title: "Notify waiting runs",
    needs: "write",
    handler: notify,
    publishes: true,
    says: "Sends an event to every run that waits for it. With `{workflowRunId}/{eventId}` to one run, which may start waiting later.",
    body: "bytes",
    answers: { 200: NOTIFIED },
  },
  {
    method: "GET",
    path: "/v2/waiters/{eventId...}",
    title: "List waiters",
    needs: "read",
    handler: showWaiters,
    lists: true,
    says: "Lists the runs that wait for an event.",
    answers: { 200: WAITERS },
  },
  {
    method: "ANY",
    path: "/v2/workflows/hooks/{hook...}",
    title: "Call a webhook",
    needs: "open",
    admit: admitHook,
    says: "The URL of a workflow's webhook. A call to it is an event for its run.",
    body: "bytes",
    answers: { 200: null },
  },
];

/** The list that the endpoint replays, when it was too large to be sent, written as its entries are read. */
async function* replayed(
  entries: AsyncIterable<RunEntry>,
  isReadOnly: boolean,
): AsyncGenerator<string> {
  let separator = "[";
  for await (const entry of entries) {
    if (!isReplayed(entry.kind)) continue;
    yield separator;
    yield* entryPieces(isReadOnly ? { ...entry, body: recordWithoutHookIds(entry.body) } : entry);
    separator = ",";
  }
  yield separator === "[" ? "[]" : "]";
}

function refOf({ rest, request, accountId }: AccountCall): RunRef {
  const createdAt = readRunCreatedAt(request.rawHeaders);
  return { accountId, runId: readRunPath(rest), createdAt };
}

/** Starts a run of the workflow at a URL. */
async function triggerRun({ context, callerIp }: Api, call: AccountCall): Promise<Answer> {
  const { account } = call;
  const { destination: url, aliases } = readDestination(call.rest, "workflowUrl");
  const payload = await call.body.read(account.limits.messageBytesMax);
  const { rawHeaders } = call.request;
  const at = context.clock.now();
  const request = { account, url, rawHeaders, aliases, payload, at };
  const start = readTrigger(context, { ...request, callerIp: callerIp(call.request) });
  return json(200, startedJson(start, await startRun(context, start)));
}

/** Starts several runs; a malformed one refuses them all. */
async function triggerRuns({ context, callerIp }: Api, call: AccountCall): Promise<Answer> {
  const { account } = call;
  const items = [...readBatch(await call.body.read(context.storedBytesMax))];
  const at = context.clock.now();
  const batchDialect = readBatchDialect(call.request.rawHeaders);
  const starts = items.map((item, index) =>
    prefixErrors(`body[${index}]`, () => {
      const read = readBatchItem(item, account.limits.messageBytesMax);
      const { destination: url, rawHeaders, aliases, body: payload } = read;
      const request = { account, url, rawHeaders, aliases, payload, at, batchDialect };
      return readTrigger(context, { ...request, callerIp: callerIp(call.request) });
    }),
  );
  const started = await Promise.all(starts.map((start) => startRun(context, start)));
  return json(
    201,
    started.map((one, index) => startedJson(starts[index]!, one)),
  );
}

function startedJson({ run }: RunStart, { createdAt, deduplicated }: StartedRun): Json {
  return {
    workflowRunId: run.runId,
    workflowCreatedAt: createdAt,
    deduplicated: deduplicated ? true : undefined,
  };
}
