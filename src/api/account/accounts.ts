import type { AccountRecord } from "../../core/model/account/account.ts";
import { startOfDay } from "../../core/model/account/daily-count.ts";
import { accountStats } from "../../operations/account/account-stats.ts";
import * as manage from "../../operations/account/manage-accounts.ts";
import { listNodes } from "../../operations/account/nodes.ts";
import * as pausing from "../../operations/account/pause-service.ts";
import {
  accountJson,
  BODY_BYTES_MAX,
  readBudget,
  readDialect,
  readLimits,
  readNewAccount,
  readNothing,
  readPlan,
} from "../../wire/account/account.ts";
import { readAccountPage, readGraceMs, readStatsPeriod } from "../../wire/account/account-query.ts";
import { nodeJson } from "../../wire/account/node.ts";
import { type Answer, json } from "../http/answers/answer.ts";
import type { Api, ConsoleCall } from "../http/server/call.ts";

export async function createAccount(api: Api, call: ConsoleCall): Promise<Answer> {
  const wanted = readNewAccount(await call.body.read(BODY_BYTES_MAX));
  const createdBy = call.access.kind === "operator" ? call.access.user : "";
  return issued(api, await manage.createAccount(api.manage, wanted, createdBy), 201);
}

export async function listAccounts(api: Api, call: ConsoleCall): Promise<Answer> {
  const { after, count } = readAccountPage(call.query);
  const { access } = call;
  if (access.kind === "account") return json(200, [shown(api, access.account)]);
  const accounts = await manage.listAccounts(api.manage, after, count);
  return json(
    200,
    accounts.map((account) => shown(api, account)),
  );
}

export async function showAccount(api: Api, call: ConsoleCall): Promise<Answer> {
  return json(200, shown(api, await accountOf(api, call)));
}

export async function rotateToken(api: Api, call: ConsoleCall): Promise<Answer> {
  const graceMs = readGraceMs(call.query);
  readNothing(await call.body.read(BODY_BYTES_MAX));
  const { accountId } = await accountOf(api, call);
  return issued(api, await manage.rotateCredentials(api.manage, accountId, graceMs), 200);
}

export async function setPlan(api: Api, call: ConsoleCall): Promise<Answer> {
  const plan = readPlan(await call.body.read(BODY_BYTES_MAX));
  await change(api, call, { fields: { plan } });
  return OK;
}

export async function updateBudget(api: Api, call: ConsoleCall): Promise<Answer> {
  const budgetDollars = readBudget(await call.body.read(BODY_BYTES_MAX));
  await change(api, call, { fields: { budgetDollars } });
  return OK;
}

export async function setDialect(api: Api, call: ConsoleCall): Promise<Answer> {
  const dialect = readDialect(await call.body.read(BODY_BYTES_MAX));
  return json(200, shown(api, await change(api, call, { fields: { dialect } })));
}

export async function setLimits(api: Api, call: ConsoleCall): Promise<Answer> {
  const overrides = readLimits(await call.body.read(BODY_BYTES_MAX));
  return json(200, shown(api, await change(api, call, { fields: {}, overrides })));
}

export const suspendAccount = switchTo({ isSuspended: true });
export const activateAccount = switchTo({ isSuspended: false });
export const pauseAccount = switchTo({ isPaused: true });
export const resumeAccount = switchTo({ isPaused: false });

/** Counts are stored by the day, so a shorter period shows the days that it touches. */
export async function showStats(api: Api, call: ConsoleCall): Promise<Answer> {
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
}

function switchTo(fields: manage.AccountChange["fields"]) {
  return async (api: Api, call: ConsoleCall): Promise<Answer> => {
    readNothing(await call.body.read(BODY_BYTES_MAX));
    return json(200, shown(api, await change(api, call, { fields })));
  };
}

/** Answers once no node starts deliveries any more, or with the nodes that may still do so. */
export async function pauseService(api: Api, call: ConsoleCall): Promise<Answer> {
  readNothing(await call.body.read(BODY_BYTES_MAX));
  const { paused, pending } = await pausing.pauseService(api.manage);
  return json(200, { paused: true, nodes: paused, pending });
}

export async function resumeService(api: Api, call: ConsoleCall): Promise<Answer> {
  readNothing(await call.body.read(BODY_BYTES_MAX));
  await pausing.resumeService(api.manage);
  return json(200, { paused: false });
}

export async function showNodes({ context }: Api): Promise<Answer> {
  const { store } = context;
  const [nodes, durability] = await Promise.all([
    listNodes(store),
    store.reader.service.durability(),
  ]);
  return json(200, { nodes: nodes.map(nodeJson), durability });
}

async function change(
  api: Api,
  call: ConsoleCall,
  wanted: manage.AccountChange,
): Promise<AccountRecord> {
  const { accountId } = await accountOf(api, call);
  return manage.changeAccount(api.manage, accountId, wanted);
}

/** The account in the path. To an account, others do not exist. */
async function accountOf(api: Api, { access, parameters }: ConsoleCall): Promise<AccountRecord> {
  const accountId = parameters[0]!;
  if (access.kind === "account" && access.account.accountId !== accountId) {
    throw manage.noAccount(accountId);
  }
  return manage.getAccount(api.manage, accountId);
}

function issued(api: Api, { account, secrets }: manage.IssuedAccount, status: number): Answer {
  return json(status, accountJson(account, api.region, secrets));
}

function shown(api: Api, account: AccountRecord) {
  return accountJson(account, api.region);
}

const OK: Answer = { status: 200, body: '"OK"' };
