import type { PublishOptions } from "../../core/model/message/publish-options.ts";
import { bodyParts, isLarge } from "../../operations/message/body-parts.ts";
import * as deadLetters from "../../operations/message/dead-letters.ts";
import { GROUPED_MAX } from "../../store/reader/dead-letters.ts";
import { deadLetterGroupJson, deadLetterJson } from "../../wire/message/dead-letter.ts";
import {
  asksForRuns,
  readDeadLetterBulk,
  readDeadLetterQuery,
  RETRY_ROWS,
  readGroupQuery,
} from "../../wire/filters/filters.ts";
import { readPublishOptions } from "../../wire/message/publish.ts";
import { type Answer, counted, EMPTY, json, jsonAndBody } from "../http/answers/answer.ts";
import type { AccountCall, Api } from "../http/server/call.ts";
import { listDeadRuns } from "../workflow/dead-runs.ts";
import { acceptedJson } from "./publish.ts";

export async function listDeadLetters(api: Api, call: AccountCall): Promise<Answer> {
  if (asksForRuns(call.query)) return listDeadRuns(api, call);
  const { context } = api;
  const { accountId } = call.access.account;
  const query = readDeadLetterQuery(call.query);
  const { items, cursor } = await deadLetters.listDeadLetters(context, accountId, query);
  return json(200, { cursor, messages: items.map(deadLetterJson) });
}

export async function listDeadLetterGroups({ context }: Api, call: AccountCall): Promise<Answer> {
  const ofRuns = readGroupQuery(call.query);
  const { accountId } = call.access.account;
  const groups = await context.store.reader.deadLetters.groups(accountId, GROUPED_MAX);
  const wanted = groups.filter(({ isOfRun }) => isOfRun === ofRuns);
  return json(200, { groups: wanted.map(deadLetterGroupJson) });
}

export async function showDeadLetter({ context }: Api, call: AccountCall): Promise<Answer> {
  const { access, parameters } = call;
  const { accountId } = access.account;
  const letter = await deadLetters.showDeadLetter(context, accountId, parameters[0]!);
  const { message, body } = letter;
  if (!isLarge(body, message.settings)) return json(200, deadLetterJson(letter));
  const value = deadLetterJson({ ...letter, body: NO_BYTES });
  return jsonAndBody(value, () => bodyParts(context, message, body));
}

export async function deleteDeadLetter({ context }: Api, call: AccountCall): Promise<Answer> {
  const { access, parameters } = call;
  await deadLetters.removeDeadLetter(context, access.account.accountId, parameters[0]!);
  return EMPTY;
}

export async function deleteDeadLetters({ context }: Api, call: AccountCall): Promise<Answer> {
  const query = readDeadLetterBulk(call.query, await call.body.read(BODY_BYTES_MAX));
  const { accountId } = call.access.account;
  if (query.isDryRun) return counted(await deadLetters.countLetters(context, accountId, query));
  const { deleted, cursor } = await deadLetters.removeDeadLetters(context, accountId, query);
  return json(200, { cursor, deleted });
}

export async function retryDeadLetter({ context }: Api, call: AccountCall): Promise<Answer> {
  const { access, parameters } = call;
  const options = overridesOf(call);
  await call.body.read(BODY_BYTES_MAX);
  const answer = await deadLetters.retryDeadLetter(
    context,
    access.account,
    parameters[0]!,
    options,
  );
  return json(answer.deduplicated ? 202 : 201, acceptedJson(answer, answer.url));
}

export async function retryDeadLetters({ context }: Api, call: AccountCall): Promise<Answer> {
  const options = overridesOf(call);
  const body = await call.body.read(BODY_BYTES_MAX);
  const query = readDeadLetterBulk(call.query, body, RETRY_ROWS);
  const { account } = call.access;
  if (query.isDryRun) {
    return counted(await deadLetters.countRetry(context, account, query, options));
  }
  const retried = await deadLetters.retryDeadLetters(context, account, query, options);
  const responses = retried.responses.map(({ messageId, url }) => ({ messageId, url }));
  // Only this list uses an empty text as its last cursor, as clients expect.
  return json(201, { cursor: retried.cursor ?? "", responses });
}

/**
 * Headers of a retry replace those of the message; those that describe the request's own body do
 * not.
 */
export function overridesOf({ request, access }: AccountCall): PublishOptions {
  const { rawHeaders } = request;
  const given: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (!/^content-/i.test(name)) given.push(name, rawHeaders[index + 1]!);
  }
  const { retriesDefault } = access.account.limits;
  // What is sent again keeps its dialect.
  return readPublishOptions(given, [], { retriesDefault, call: "retry" });
}

const NO_BYTES = new Uint8Array(0);
const BODY_BYTES_MAX = 256 * 1024;
