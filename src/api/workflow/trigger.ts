import type { StartedRun } from "../../core/rules/workflow/start-run.ts";
import { readTrigger, type RunStart, startRun } from "../../operations/workflow/start-run.ts";
import { readBatch, readBatchItem } from "../../wire/message/batch.ts";
import { readDestination } from "../../wire/message/destination.ts";
import { readBatchDialect } from "../../wire/headers/header-reading.ts";
import { prefixErrors } from "../../wire/headers/header-value.ts";
import type { Json } from "../../wire/message/message.ts";
import { type Answer, json } from "../http/answers/answer.ts";
import type { AccountCall, Api } from "../http/server/call.ts";

/** Starts a run of the workflow at a URL. */
export async function triggerRun({ context, callerIp }: Api, call: AccountCall): Promise<Answer> {
  const { account } = call;
  const { destination: url, aliases } = readDestination(call.rest);
  const payload = await call.body.read(account.limits.messageBytesMax);
  const { rawHeaders } = call.request;
  const at = context.clock.now();
  const request = { account, url, rawHeaders, aliases, payload, at };
  const start = readTrigger(context, { ...request, callerIp: callerIp(call.request) });
  return json(200, startedJson(start, await startRun(context, start)));
}

/** Starts several runs; a malformed one refuses them all. */
export async function triggerRuns({ context, callerIp }: Api, call: AccountCall): Promise<Answer> {
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
