import type { RunRef } from "../../core/model/workflow/run.ts";
import { entryPieces } from "../../core/rules/workflow/entry-list.ts";
import { isReplayed, type RunEntry } from "../../core/model/workflow/run-entry.ts";
import {
  cancelRun,
  cancelRuns,
  countRuns,
  finishRun,
  listEntries,
} from "../../operations/workflow/runs.ts";
import { requireNoOthers } from "../../wire/filters/filter-parameters.ts";
import { FILTER_BODY_BYTES_MAX } from "../../wire/filters/body-filters.ts";
import { recordWithoutHookIds } from "../../wire/workflow/hidden-steps.ts";
import { readRunCancelQuery } from "../../wire/workflow/run-filters.ts";
import { readRunPath, RUN_END_ROWS } from "../../wire/workflow/run-path.ts";
import { readRunCreatedAt } from "../../wire/workflow/workflow-headers.ts";
import { type Answer, counted, EMPTY, json } from "../http/answers/answer.ts";
import type { AccountCall, Api } from "../http/server/call.ts";

/** The entries that an endpoint replays, when they were too large to be sent. */
export async function showRun({ context }: Api, call: AccountCall): Promise<Answer> {
  const entries = await listEntries(context, refOf(call));
  return { status: 200, body: replayed(entries, call.access.isReadOnly) };
}

/** The list that the endpoint replays, written as its entries are read. */
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

/** With `?cancel=false` an endpoint ends its run as successful. */
export async function deleteRun({ context }: Api, call: AccountCall): Promise<Answer> {
  const ref = refOf(call);
  requireNoOthers(call.query, RUN_END_ROWS);
  const { cancel } = readRunPath(call.rest);
  const response = await call.body.read(call.access.account.limits.messageBytesMax);
  if (cancel === false) await finishRun(context, ref, response);
  else await cancelRun(context, ref);
  return EMPTY;
}

export async function deleteRuns({ context }: Api, call: AccountCall): Promise<Answer> {
  const { accountId } = call.access.account;
  const body = await call.body.read(FILTER_BODY_BYTES_MAX);
  const query = readRunCancelQuery(call.query, body);
  if (query.isDryRun) return counted(await countRuns(context, accountId, query));
  const canceled = await cancelRuns(context, accountId, query);
  return json(200, { cancelled: canceled });
}

function refOf({ rest, request, access }: AccountCall): RunRef {
  const { runId } = readRunPath(rest);
  const createdAt = readRunCreatedAt(request.rawHeaders);
  return { accountId: access.account.accountId, runId, createdAt };
}
