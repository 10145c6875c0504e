import * as manage from "../../operations/account/manage-accounts.ts";
import type { AccountRecord } from "../../core/model/account/account.ts";
import { startOfDay } from "../../core/model/account/stats.ts";
import { accountStats } from "../../operations/account/stats.ts";
import { readCluster, pauseService, resumeService } from "../../operations/account/service.ts";
import {
  ACCOUNT,
  accountJson,
  ACCOUNTS,
  DELETION,
  deletionJson,
} from "../../wire/account/account.ts";
import * as requests from "../../wire/account/account-request.ts";
import { NODES, PAUSED, RESUMED } from "../../wire/account/node.ts";
import * as secretKeys from "../../wire/account/secret-key.ts";
import { ACCOUNT_STATS, PERIOD_ROWS, readStatsPeriod } from "../../wire/account/stats.ts";
import { ID_PAGE_ROWS } from "../../wire/filters/filter-parameters.ts";
import { type Answer, json } from "../http/answers/answer.ts";
import type { Api, ConsoleCall, ConsoleHandler, ConsoleRoute } from "../http/server/call.ts";

/** Every endpoint of the console, under our own path. */
export const OWN_CONSOLE_ROUTES: readonly ConsoleRoute[] = [
  {
    method: "POST",
    path: "/v2/svc/user",
    title: "Create an account",
    needs: "operator",
    handler: async ({ manage: options, region }, { access, body }) => {
      const wanted = requests.readNewAccount(await body.read(requests.BODY_BYTES_MAX));
      const createdBy = access.kind === "operator" ? access.user : "";
      const { account, secrets } = await manage.createAccount(options, wanted, createdBy);
      return json(201, accountJson(account, region, secrets));
    },
    says: "Creates an account. Body: `customer_id`, optionally `plan_name`, `budget` and `limits`. The answer shows its secrets, once.",
    body: requests.NEW_ACCOUNT,
    answers: { 201: ACCOUNT },
  },
  {
    method: "GET",
    path: "/v2/svc/users",
    title: "List accounts",
    needs: "console",
    handler: async (api, { access, query }) => {
      const { after, count } = requests.readAccountPage(query);
      const accounts =
        access.kind === "account"
          ? [access.account]
          : await manage.listAccounts(api.manage, after, count);
      return json(
        200,
        accounts.map((account) => accountJson(account, api.region)),
      );
    },
    says: "Lists accounts by id, at most 1,000. `after` is the last id of the page before, `count` the size of a page. An account sees only itself.",
    query: ID_PAGE_ROWS,
    answers: { 200: ACCOUNTS },
  },
  {
    method: "GET",
    path: "/v2/svc/nodes",
    title: "List nodes",
    needs: "operator",
    handler: async ({ context }) => json(200, await readCluster(context.store)),
    says: "Lists the nodes with their name, version, slots and last heartbeat, and says what survives a failover of the database. `live` is false for one that has been silent for 20 s.",
    answers: { 200: NODES },
  },
  {
    method: "GET",
    path: "/v2/svc/user/{id}",
    title: "Get an account",
    needs: "console",
    handler: async (api, call) => shown(api, await accountOf(api, call)),
    says: "Shows an account.",
    answers: { 200: ACCOUNT },
  },
  {
    method: "DELETE",
    path: "/v2/svc/user/{id}",
    title: "Delete an account",
    needs: "operator",
    handler: async ({ manage: options }, { id, query }) => {
      const confirmed = requests.readConfirmation(query);
      const { account, contents } = await (confirmed === undefined
        ? manage.previewDeletion(options, id)
        : manage.deleteAccount(options, id, confirmed));
      return json(200, deletionJson(account, contents));
    },
    says: "Counts what the account has. With `confirm` set to its `customer_id` it begins to delete all of that, and the account: its tokens are refused at once, the rest goes page by page. Ask again without `confirm` to see what is left; `404` says that it is gone.",
    query: requests.CONFIRM_ROWS,
    answers: { 200: DELETION },
  },
  {
    method: "POST",
    path: "/v2/svc/rotate-token/{id}",
    title: "Rotate the tokens of an account",
    needs: "console",
    handler: async (api, call) => {
      const graceMs = requests.readGraceMs(call.query);
      requests.readNothing(await call.body.read(requests.BODY_BYTES_MAX));
      const { accountId } = await accountOf(api, call);
      const issued = await manage.rotateCredentials(api.manage, accountId, graceMs);
      return json(200, accountJson(issued.account, api.region, issued.secrets));
    },
    says: "Generates new tokens and a new password, and shows them once. With `grace=10m` the old tokens stay valid for that long.",
    query: requests.GRACE_ROWS,
    answers: { 200: ACCOUNT },
  },
  {
    method: "POST",
    path: "/v2/svc/set-plan/{id}",
    title: "Set the plan",
    needs: "operator",
    handler: change((body) => ({ fields: { plan: requests.readPlan(body) } }), taken),
    says: 'Changes the plan of an account: `{"plan_name": "paid"}`.',
    body: requests.PLAN_REQUEST,
    answers: { 200: requests.OK },
  },
  {
    method: "PATCH",
    path: "/v2/svc/update-budget/{id}",
    title: "Set the budget",
    needs: "console",
    handler: change((body) => ({ fields: { budgetDollars: requests.readBudget(body) } }), taken),
    says: "Sets the monthly budget in dollars; 0 for no limit.",
    body: requests.BUDGET_REQUEST,
    answers: { 200: requests.OK },
  },
  {
    method: "POST",
    path: "/v2/svc/set-dialect/{id}",
    title: "Set the headers of deliveries",
    needs: "console",
    handler: change((body) => ({ fields: requests.readDialect(body) })),
    says: 'Chooses the headers of messages that were published without a `Svc-` or `Upstash-` header: `{"dialect": "svc"}`, `"upstash"` or `"both"`; null returns to the setting of the server.',
    body: requests.DIALECT_REQUEST,
    answers: { 200: ACCOUNT },
  },
  {
    method: "PATCH",
    path: "/v2/svc/update-limits/{id}",
    title: "Override limits",
    needs: "operator",
    handler: change((body) => ({ fields: {}, overrides: requests.readLimits(body) })),
    says: 'Overrides limits of an account: `{"max_topics": 5}`; null returns to the limit of the plan.',
    body: requests.LIMITS_REQUEST,
    answers: { 200: ACCOUNT },
  },
  // Counts are stored by the day, so a shorter period shows the days that it touches.
  {
    method: "GET",
    path: "/v2/svc/stats/{id}",
    title: "Get counts of an account",
    needs: "console",
    handler: async (api, call) => {
      const { name, periodMs } = readStatsPeriod(call.query);
      const account = await accountOf(api, call);
      const { store, clock } = api.context;
      const stats = await accountStats(store, account, clock.now(), periodMs);
      return json(200, {
        period: name,
        ...stats.sum,
        daily_requests: stats.today,
        over_daily_limit: stats.isOverDailyLimit,
        days: stats.days.map(({ day, ...counts }) => ({
          day: new Date(startOfDay(day)).toISOString().slice(0, 10),
          ...counts,
        })),
      });
    },
    says: "Shows the counts of an account by day; `period` is 1h, 3h, 12h, 1d, 3d, 7d or 30d.",
    query: PERIOD_ROWS,
    answers: { 200: ACCOUNT_STATS },
  },
  {
    method: "POST",
    path: "/v2/svc/suspend/{id}",
    title: "Suspend an account",
    needs: "operator",
    handler: switchTo({ isSuspended: true }),
    says: "Suspends an account: its tokens are refused, its deliveries wait.",
    answers: { 200: ACCOUNT },
  },
  {
    method: "POST",
    path: "/v2/svc/activate/{id}",
    title: "Activate an account",
    needs: "operator",
    handler: switchTo({ isSuspended: false }),
    says: "Ends a suspension. Waiting messages are sent.",
    answers: { 200: ACCOUNT },
  },
  {
    method: "POST",
    path: "/v2/svc/pause/{id}",
    title: "Pause an account",
    needs: "operator",
    handler: switchTo({ isPaused: true }),
    says: "Pauses the deliveries of an account. It can still publish.",
    answers: { 200: ACCOUNT },
  },
  {
    method: "POST",
    path: "/v2/svc/resume/{id}",
    title: "Resume an account",
    needs: "operator",
    handler: switchTo({ isPaused: false }),
    says: "Resumes the deliveries of an account.",
    answers: { 200: ACCOUNT },
  },
  // Answers once no node starts deliveries any more, or with the nodes that may still do so.
  {
    method: "POST",
    path: "/v2/svc/pause",
    title: "Pause all deliveries",
    needs: "operator",
    handler: async (api, { body }) => {
      requests.readNothing(await body.read(requests.BODY_BYTES_MAX));
      const { paused, pending } = await pauseService(api.manage);
      return json(200, { paused: true, nodes: paused, pending });
    },
    says: "Pauses all deliveries of the server, on every node.",
    answers: { 200: PAUSED },
  },
  {
    method: "POST",
    path: "/v2/svc/resume",
    title: "Resume all deliveries",
    needs: "operator",
    handler: async (api, { body }) => {
      requests.readNothing(await body.read(requests.BODY_BYTES_MAX));
      await resumeService(api.manage);
      return json(200, { paused: false });
    },
    says: "Resumes all deliveries of the server.",
    answers: { 200: RESUMED },
  },
  {
    method: "POST",
    path: "/v2/svc/secret-key",
    title: "Rotate the secret key",
    needs: "operator",
    handler: async ({ secretKeyRotation }, { body }) => {
      const given = secretKeys.readSecretKeyRequest(await body.read(requests.BODY_BYTES_MAX));
      const step = await secretKeyRotation.step(given.key_id);
      return json(200, {
        key_id: step.keyId,
        previous_key_id: step.previousId ?? null,
        accounts: step.accounts,
        done: step.isDone,
        kept_as: step.keptAs,
      });
    },
    says: 'One step of `postrider secret rotate`: encrypts the signing keys of at most 200 accounts with the new secret key. Send `{"key_id": …}` of the answer until it is `done`.',
    body: secretKeys.SECRET_KEY_REQUEST,
    answers: { 200: secretKeys.SECRET_KEY_STEP },
  },
];

/** The same under the path of the public service, for programs that were written for it. */
export const CONSOLE_ROUTES: readonly ConsoleRoute[] = OWN_CONSOLE_ROUTES.flatMap((route) => [
  route,
  { ...route, path: route.path.replace("/v2/svc/", "/v2/qstash/") },
]);

/** Changes the account in the path to what the body says. */
function change(
  read: (body: Uint8Array) => manage.AccountChange,
  answer: (api: Api, account: AccountRecord) => Answer = shown,
): ConsoleHandler {
  return async (api, call) => {
    const wanted = read(await call.body.read(requests.BODY_BYTES_MAX));
    const { accountId } = await accountOf(api, call);
    return answer(api, await manage.changeAccount(api.manage, accountId, wanted));
  };
}

function switchTo(fields: manage.AccountChange["fields"]): ConsoleHandler {
  return change((body) => {
    requests.readNothing(body);
    return { fields };
  });
}

/** The account in the path. To an account, others do not exist. */
async function accountOf(api: Api, { access, id }: ConsoleCall): Promise<AccountRecord> {
  if (access.kind === "account" && access.account.accountId !== id) throw manage.noAccount(id);
  return manage.getAccount(api.manage, id);
}

function shown({ region }: Api, account: AccountRecord): Answer {
  return json(200, accountJson(account, region));
}

function taken(): Answer {
  return { status: 200, body: '"OK"' };
}
