import { NOTHING } from "../../wire/json/schema.ts";
import { ADDED_TOKEN, NEW_TOKEN, TOKENS } from "../../wire/account/token.ts";
import { ACCOUNT, HOSTS, KEYS, OWN_ACCOUNT, SERIES } from "../../wire/account/account-schemas.ts";
import { GRACE_ROWS } from "../../wire/account/account-query.ts";
import { WAITING } from "../../wire/line/waiting.ts";
import { HOST_ROWS, SERIES_ROWS } from "../../wire/account/stats.ts";
import { rotateKeys, showKeys } from "./keys.ts";
import type { Route } from "../http/server/call.ts";
import {
  addOwnToken,
  listOwnTokens,
  revokeOwnToken,
  rotateOwnToken,
  showOwnAccount,
} from "./own-account.ts";
import { showWaiting } from "../line/waiting.ts";
import { showHosts, showStats } from "./stats.ts";

export const OWN_ACCOUNT_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/stats",
    title: "Get counts over time",
    needs: "read",
    handler: showStats,
    lists: true,
    says: "Lists counts of messages and attempts, and answer times, by `step`: `minute` (kept for a day), `hour` (31 days) or `day` (400 days). `from` and `to` are milliseconds; default: the last 60 steps. Steps in which nothing happened are left out. With `host` and `step=hour`: only the attempts at one host. `backlog` has what waited at the end of each step: `due`, `later` (delay or retry not over), and how long the first has been due.",
    query: SERIES_ROWS,
    answers: { 200: SERIES },
  },
  {
    method: "GET",
    path: "/v2/hosts",
    title: "Get counts by host",
    needs: "read",
    handler: showHosts,
    lists: true,
    says: "Lists the same counts for each host since `from` (by the hour, at most two days ago; default: the last hour), the busiest first. For each minute the ten busiest hosts and the ten with most failures are counted.",
    query: HOST_ROWS,
    answers: { 200: HOSTS },
  },
  {
    method: "GET",
    path: "/v2/waiting",
    title: "List why messages wait",
    needs: "read",
    handler: showWaiting,
    lists: true,
    says: "Lists why messages wait, by reason and line, the most messages first: `delay`, `retry`, `paused`, `queue-full`, `key-rate`, `key-parallelism`, `account-parallelism`, `host-full`, `host-failing` or `node-full`, with the oldest message and when the wait ends. At most 100 rows. A count that has `isAbout` may be greater.",
    answers: { 200: WAITING },
  },
  {
    method: "GET",
    path: "/v2/account",
    title: "Get your account",
    needs: "read",
    handler: showOwnAccount,
    lists: true,
    says: "Shows the account of the token without its secrets, what the token may do (`access`), and how much of each limit is used (`usage`). A count ends at 100,000.",
    answers: { 200: OWN_ACCOUNT },
  },
  {
    method: "POST",
    path: "/v2/account/rotate-token",
    title: "Rotate the tokens",
    needs: "owner",
    handler: rotateOwnToken,
    says: "Generates new tokens and a new password, and shows them once. With `grace=10m` the old tokens stay valid for that long.",
    query: GRACE_ROWS,
    answers: { 200: ACCOUNT },
  },
  {
    method: "GET",
    path: "/v2/keys",
    title: "Get the signing keys",
    needs: "owner",
    handler: showKeys,
    says: "Shows the two signing keys.",
    answers: { 200: KEYS },
  },
  {
    method: "POST",
    path: "/v2/keys/rotate",
    title: "Rotate the signing keys",
    needs: "owner",
    handler: rotateKeys,
    says: "Makes the next signing key the current one and generates a new next one.",
    answers: { 200: KEYS },
  },
  {
    method: "POST",
    path: "/v2/rotate",
    title: "Rotate keys",
    needs: "owner",
    handler: rotateKeys,
    says: "The older name of `/v2/keys/rotate`.",
    answers: { 200: KEYS },
    isOlder: true,
  },
  {
    method: "GET",
    path: "/v2/account/tokens",
    title: "List tokens",
    answers: { 200: TOKENS },
    needs: "owner",
    handler: listOwnTokens,
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
    handler: addOwnToken,
    says: 'Adds a named token and shows it once: `{"name": "ci", "scope": "full"}`; the scope is `full` or `read-only`, `expiresIn` (`30d`) is optional. At most 50.',
  },
  {
    method: "DELETE",
    path: "/v2/account/tokens/{id}",
    title: "Revoke a token",
    answers: { 200: NOTHING },
    needs: "owner",
    handler: revokeOwnToken,
    says: "Revokes a named token, and ends the sessions begun with it. Other nodes refuse it within a second.",
  },
];
