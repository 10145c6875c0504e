import { rotateCredentials } from "../../operations/account/manage-accounts.ts";
import { readOverview } from "../../operations/account/overview.ts";
import { readUsage, readHosts, readSeries } from "../../operations/account/stats.ts";
import { addToken, listTokens, revokeToken } from "../../operations/account/tokens.ts";
import { listWaiting } from "../../operations/line/waiting.ts";
import * as wire from "../../wire/account/account.ts";
import {
  BODY_BYTES_MAX,
  GRACE_ROWS,
  readGraceMs,
  readNothing,
} from "../../wire/account/account-request.ts";
import { OVERVIEW, shownHostJson } from "../../wire/account/overview.ts";
import * as stats from "../../wire/account/stats.ts";
import {
  ADDED_TOKEN,
  NEW_TOKEN,
  readNewToken,
  tokenJson,
  TOKENS,
} from "../../wire/account/token.ts";
import { requireNoFilters } from "../../wire/filters/filter-parameters.ts";
import { NOTHING } from "../../wire/json/schema.ts";
import { WAITING, waitingJson } from "../../wire/line/waiting.ts";
import { json } from "../http/answers/answer.ts";
import type { AccountHandler, Route } from "../http/server/call.ts";

const rotateKeys: AccountHandler = async ({ accounts }, { accountId }) =>
  json(200, { ...(await accounts.rotateSigningKeys(accountId)) });

export const OWN_ACCOUNT_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/stats",
    title: "Get counts over time",
    needs: "read",
    handler: async ({ context }, call) => {
      const query = stats.readStatQuery(call.query, context.clock.now());
      return json(200, stats.seriesJson(query, await readSeries(context, call.accountId, query)));
    },
    lists: true,
    says: "Lists counts of messages and attempts, and answer times, by `step`: `minute` (kept for a day), `hour` (31 days) or `day` (400 days). `from` and `to` are milliseconds; default: the last 60 steps. Steps in which nothing happened are left out. With `host` and `step=hour`: only the attempts at one host. `backlog` has what waited at the end of each step: `due`, `later` (delay or retry not over), and how long the first has been due.",
    query: stats.SERIES_ROWS,
    answers: { 200: stats.SERIES },
  },
  {
    method: "GET",
    path: "/v2/overview",
    title: "Get an overview",
    needs: "read",
    handler: async ({ context }, { account, query }) => {
      const now = context.clock.now();
      const asked = {
        series: stats.readStatQuery(query, now),
        hosts: stats.readHostQuery("", now),
      };
      const found = await readOverview(context, account, asked);
      return json(200, {
        stats: stats.seriesJson(asked.series, found.series),
        hosts: { from: asked.hosts.fromAt, hosts: found.hosts.map(shownHostJson) },
        waiting: waitingJson(found.waiting),
        parallelism: found.parallelism,
        queues: {
          count: found.queues.length,
          paused: found.queues.filter(({ paused }) => paused).length,
        },
      });
    },
    lists: true,
    says: "Shows in one answer what the first screen of the dashboard shows: the series of `/v2/stats` with its parameters, destinations with their last day and last error, why messages wait, attempts in progress, and queues.",
    query: stats.SERIES_ROWS,
    answers: { 200: OVERVIEW },
  },
  {
    method: "GET",
    path: "/v2/hosts",
    title: "Get counts by host",
    needs: "read",
    handler: async ({ context }, call) => {
      const query = stats.readHostQuery(call.query, context.clock.now());
      return json(200, stats.hostsJson(query, await readHosts(context, call.accountId, query)));
    },
    lists: true,
    says: "Lists the same counts for each host since `from` (by the hour, at most two days ago; default: the last hour), the busiest first. For each minute the ten busiest hosts and the ten with most failures are counted.",
    query: stats.HOST_ROWS,
    answers: { 200: stats.HOSTS },
  },
  {
    method: "GET",
    path: "/v2/waiting",
    title: "List why messages wait",
    needs: "read",
    handler: async ({ context }, { accountId, query }) => {
      requireNoFilters(query);
      return json(200, waitingJson(await listWaiting(context, accountId)));
    },
    lists: true,
    says: "Lists why messages wait, by reason and line, the most messages first: `delay`, `retry`, `paused`, `queue-full`, `key-rate`, `key-parallelism`, `account-parallelism`, `host-full`, `host-failing` or `node-full`, with the oldest message and when the wait ends. At most 100 rows. A count that has `isAbout` may be greater.",
    answers: { 200: WAITING },
  },
  {
    method: "GET",
    path: "/v2/account",
    title: "Get your account",
    needs: "read",
    handler: async ({ context, region }, { access }) => {
      const usage = await readUsage(context, access.account);
      return json(200, wire.ownAccountJson({ ...access, usage }, region));
    },
    lists: true,
    says: "Shows the account of the token without its secrets, what the token may do (`access`), and how much of each limit is used (`usage`). A count ends at 100,000.",
    answers: { 200: wire.OWN_ACCOUNT },
  },
  {
    method: "POST",
    path: "/v2/account/rotate-token",
    title: "Rotate the tokens",
    needs: "owner",
    handler: async ({ manage, region }, { accountId, query, body }) => {
      const graceMs = readGraceMs(query);
      readNothing(await body.read(BODY_BYTES_MAX));
      const { account, secrets } = await rotateCredentials(manage, accountId, graceMs);
      return json(200, wire.accountJson(account, region, secrets));
    },
    says: "Generates new tokens and a new password, and shows them once. With `grace=10m` the old tokens stay valid for that long.",
    query: GRACE_ROWS,
    answers: { 200: wire.ACCOUNT },
  },
  {
    method: "GET",
    path: "/v2/keys",
    title: "Get the signing keys",
    needs: "owner",
    handler: async ({ accounts }, { accountId }) =>
      json(200, { ...(await accounts.signingKeys(accountId)) }),
    says: "Shows the two signing keys.",
    answers: { 200: wire.KEYS },
  },
  {
    method: "POST",
    path: "/v2/keys/rotate",
    title: "Rotate the signing keys",
    needs: "owner",
    handler: rotateKeys,
    says: "Makes the next signing key the current one and generates a new next one.",
    answers: { 200: wire.KEYS },
  },
  {
    method: "POST",
    path: "/v2/rotate",
    title: "Rotate keys",
    needs: "owner",
    handler: rotateKeys,
    says: "The older name of `/v2/keys/rotate`.",
    answers: { 200: wire.KEYS },
    isOlder: true,
  },
  {
    method: "GET",
    path: "/v2/account/tokens",
    title: "List tokens",
    answers: { 200: TOKENS },
    needs: "owner",
    handler: async ({ manage }, { accountId }) => {
      const tokens = await listTokens(manage, accountId);
      return json(200, tokens.map(tokenJson));
    },
    lists: true,
    says: "Lists the tokens of the account without their secrets: `main`, `read-only`, then the named ones, with their scope, end and last use (up to a minute behind).",
  },
  {
    method: "POST",
    path: "/v2/account/tokens",
    title: "Add a token",
    body: NEW_TOKEN,
    answers: { 201: ADDED_TOKEN },
    needs: "owner",
    handler: async ({ manage }, { accountId, body }) => {
      const wanted = readNewToken(await body.read(BODY_BYTES_MAX));
      const { facts, token } = await addToken(manage, accountId, wanted);
      return json(201, { ...tokenJson(facts), token });
    },
    says: 'Adds a named token and shows it once: `{"name": "ci", "scope": "full"}`; the scope is `full` or `read-only`, `expiresIn` (`30d`) is optional. At most 50.',
  },
  {
    method: "DELETE",
    path: "/v2/account/tokens/{id}",
    title: "Revoke a token",
    answers: { 200: NOTHING },
    needs: "owner",
    handler: async ({ manage }, { accountId, id }) => {
      await revokeToken(manage, accountId, id);
      return json(200, {});
    },
    says: "Revokes a named token, and ends the sessions begun with it. Other nodes refuse it within a second.",
  },
];
