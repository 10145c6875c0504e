import { type BatchAnswer, publishBatch as publishAll } from "../../operations/message/batch.ts";
import { readBatchDialect } from "../../wire/headers/header-reading.ts";
import { readBatch } from "../../wire/message/batch.ts";
import type { Json } from "../../wire/message/message.ts";
import { type Answer, json } from "../http/answers/answer.ts";
import type { AccountCall, Api } from "../http/server/call.ts";
import { problemJson } from "../http/answers/problem-answer.ts";
import { acceptedJson, groupJson } from "./publish.ts";

/** Always an array, item by item: an object, an array for a group, or why the item was refused. */
export async function publishBatch(api: Api, call: AccountCall): Promise<Answer> {
  const { context } = api;
  const { account } = call;
  const items = readBatch(await call.body.read(context.storedBytesMax));
  const callerIp = api.callerIp(call.request);
  const dialect = readBatchDialect(call.request.rawHeaders);
  const answers = await publishAll(context, { account, items, callerIp, dialect });
  return json(answers.length > 0 && answers.every(isEnded) ? 400 : 200, answers.map(answerJson));
}

/** Clients of workflows learn from the status that their run accepts nothing more. */
function isEnded(answer: BatchAnswer): boolean {
  return "workflow" in answer && "problem" in answer.workflow;
}

function answerJson(answer: BatchAnswer): Json | readonly Json[] {
  if ("problem" in answer) return problemJson(answer.problem);
  if ("workflow" in answer) {
    const { workflow } = answer;
    return "problem" in workflow ? problemJson(workflow.problem) : acceptedJson(workflow);
  }
  const group = groupJson(answer.target, answer.answers);
  return answer.target.urlGroup === undefined ? group[0]! : group;
}
