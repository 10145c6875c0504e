import { countDead, countSent, listDead } from "../../operations/dead-pages.ts";
import { bodyParts } from "../../operations/message/body-parts.ts";
import * as deadLetters from "../../operations/message/dead-letters.ts";
import * as filters from "../../wire/filters/filters.ts";
import * as schemas from "../../wire/message/message-schemas.ts";
import { anyOf } from "../../wire/json/schema.ts";
import {
  deadLetterGroupJson,
  deadLetterHostJson,
  deadLetterJson,
} from "../../wire/message/message.ts";
import { DEAD_LETTERS } from "../../wire/workflow/run-schemas.ts";
import {
  type Answer,
  counted,
  emptyAfter,
  json,
  jsonPage,
  jsonAndBody,
} from "../http/answers/answer.ts";
import type { AccountCall, Api, Route } from "../http/server/call.ts";
import { listDeadRuns } from "../workflow/dead-run-routes.ts";
import { acceptedJson, overridesOf } from "./publish.ts";

export const DEAD_LETTER_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/dlq",
    title: "List dead letters",
    needs: "read",
    handler: async (api, call) => {
      if (filters.asksForRuns(call.query)) return listDeadRuns(api, call);
      const query = filters.readDeadLetterQuery(call.query);
      const { items, cursor } = await listDead(api.context, "deadLetters", call.accountId, query);
      return jsonPage({ cursor }, "messages", items, deadLetterJson);
    },
    lists: true,
    says: "Lists dead letters, newest first.",
    query: filters.DEAD_LETTER_ROWS,
    answers: { 200: DEAD_LETTERS },
  },
  {
    method: "DELETE",
    path: "/v2/dlq",
    title: "Delete dead letters",
    needs: "write",
    handler: async ({ context }, { accountId, query: given, body }) => {
      const query = filters.readDeadLetterBulk(given, await body.read(BODY_BYTES_MAX));
      if (query.isDryRun) return counted(await countDead(context, "deadLetters", accountId, query));
      const { deleted, cursor } = await deadLetters.removeDeadLetters(context, accountId, query);
      return json(200, { cursor, deleted });
    },
    lists: true,
    says: "Deletes the dead letters that match. **Without a filter this deletes all of them.**",
    query: filters.DELETE_ROWS,
    body: schemas.DLQ_IDS,
    answers: { 200: anyOf(schemas.DELETED, schemas.COUNTED) },
  },
  {
    method: "POST",
    path: "/v2/dlq/retry",
    title: "Retry dead letters",
    needs: "write",
    handler: retryDeadLetters,
    lists: true,
    says: "Sends the dead letters that match again, as new messages. `over=10m` spreads them evenly over that time, at most `1d`. **Without a filter this sends all of them.**",
    query: filters.RETRY_ROWS,
    headers: "retry",
    body: schemas.DLQ_IDS,
    answers: { 200: schemas.COUNTED, 201: schemas.RETRIED },
  },
  {
    method: "POST",
    path: "/v2/dlq/retry/{dlqId}",
    title: "Retry a dead letter",
    needs: "write",
    handler: async ({ context }, call) => {
      const options = overridesOf(call);
      await call.body.read(BODY_BYTES_MAX);
      const answer = await deadLetters.retryDeadLetter(context, call.account, call.id, options);
      return json(answer.deduplicated ? 202 : 201, acceptedJson(answer, answer.url));
    },
    says: "Sends one dead letter again, as a new message. Headers replace its settings.",
    headers: "retry",
    answers: { 201: schemas.ACCEPTED, 202: schemas.ACCEPTED },
  },
  {
    method: "GET",
    path: "/v2/dlq/groups",
    title: "List causes of dead letters",
    needs: "read",
    handler: async ({ context }, { accountId, query }) => {
      const ofRuns = filters.readGroupQuery(query);
      const groups = await deadLetters.listDeadLetterGroups(context, accountId, ofRuns);
      return json(200, { groups: groups.map(deadLetterGroupJson) });
    },
    lists: true,
    says: "Lists groups of the newest 10,000 dead letters, by the status and the cause of their failure, the largest first; with `source=workflow` those of failed runs. `responseStatus` and `cause` of a group are filters of `/v2/dlq` and `/v2/workflows/dlq`: together they mean the whole group.",
    query: filters.GROUP_ROWS,
    answers: { 200: schemas.DEAD_LETTER_GROUPS },
  },
  {
    method: "GET",
    path: "/v2/dlq/hosts",
    title: "List hosts of dead letters",
    needs: "read",
    handler: async ({ context }, { accountId, query }) => {
      const ofRuns = filters.readGroupQuery(query);
      const hosts = await deadLetters.listDeadLetterHosts(context, accountId, ofRuns);
      return json(200, { hosts: hosts.map(deadLetterHostJson) });
    },
    lists: true,
    says: "Lists the hosts of the newest 10,000 dead letters, those with the most first; with `source=workflow` those of failed runs. `host` is a filter of `/v2/dlq` and `/v2/workflows/dlq`.",
    query: filters.GROUP_ROWS,
    answers: { 200: schemas.DEAD_LETTER_HOSTS },
  },
  {
    method: "GET",
    path: "/v2/dlq/{dlqId}",
    title: "Get a dead letter",
    needs: "read",
    handler: async ({ context }, { accountId, id }) => {
      const letter = await deadLetters.showDeadLetter(context, accountId, id);
      const { message, body } = letter;
      return jsonAndBody(
        body,
        message.settings,
        (shown) => deadLetterJson({ ...letter, body: shown }),
        () => bodyParts(context, message, body),
      );
    },
    says: "Shows a dead letter with its last answer.",
    answers: { 200: schemas.DEAD_LETTER },
  },
  {
    method: "DELETE",
    path: "/v2/dlq/{dlqId}",
    title: "Delete a dead letter",
    needs: "write",
    handler: ({ context }, { accountId, id }) =>
      emptyAfter(deadLetters.removeDeadLetter(context, accountId, id)),
    says: "Deletes a dead letter.",
    answers: { 200: null },
  },
];

async function retryDeadLetters({ context }: Api, call: AccountCall): Promise<Answer> {
  const options = overridesOf(call);
  const body = await call.body.read(BODY_BYTES_MAX);
  const query = filters.readDeadLetterBulk(call.query, body, filters.RETRY_ROWS);
  const { account } = call;
  if (query.isDryRun) {
    return counted(await countSent(context, "deadLetters", account, query, options));
  }
  const retried = await deadLetters.retryDeadLetters(context, account, query, options);
  const responses = retried.responses.map(({ messageId, url }) => ({ messageId, url }));
  // Only this list uses an empty text as its last cursor, as clients expect.
  return json(201, { cursor: retried.cursor ?? "", responses });
}

const BODY_BYTES_MAX = 256 * 1024;
