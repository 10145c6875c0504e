import type { Settings } from "../config/settings.ts";
import { VERSION } from "../config/version.ts";
import type { OpenFiles } from "../core/policy/limits/open-files.ts";
import type { Accounts } from "../operations/account/accounts.ts";
import type { Context } from "../operations/context.ts";
import { DEV_ACCOUNT_ID } from "../operations/account/public-credentials.ts";
import { FailedLogins } from "../operations/account/sign-in-guard.ts";
import type { Logins } from "../operations/account/logins.ts";
import type { ManageOptions } from "../operations/account/manage-accounts.ts";
import type { SecretKeyRotation } from "../operations/account/rotate-secret-key.ts";
import type { Sessions } from "../operations/account/sessions.ts";
import { LogStreams } from "../operations/message/log-streams.ts";
import type { VirtualClock } from "../operations/virtual-clock.ts";
import { ServiceMetrics } from "../operations/service-metrics.ts";
import type { Log } from "../platform/log.ts";
import { createAnswerBudget } from "./http/limits/answer-budget.ts";
import { type StaticFile, staticFile } from "./http/answers/static-file.ts";
import { BurstLimit } from "./http/limits/burst-limit.ts";
import { callerIpReader, publicUrlReader } from "./http/callers/caller-ip.ts";
import { createBodyBudget } from "./http/server/body.ts";
import type { Api } from "./http/server/call.ts";
import { ConnectionLimit, connectionLimits } from "./http/limits/connection-limit.ts";
import { DashboardFiles } from "./http/pages/dashboard-files.ts";
import { HookLimit } from "./workflow/hook-limit.ts";
import { createListGate } from "./http/limits/list-gate.ts";
import { callerGuard } from "./http/callers/local-callers.ts";
import { openApiOf } from "./reference/openapi.ts";
import { DOCUMENTED_GROUPS } from "./routes.ts";
import { RefusalCounts } from "./http/answers/problem-answer.ts";
import { UnreadAnswers } from "./http/limits/unread-answers.ts";
import { UploadWatch } from "./http/limits/upload-watch.ts";

export interface ApiOptions {
  readonly settings: Settings;
  readonly context: Context;
  readonly virtualClock: VirtualClock | null;
  readonly accounts: Accounts;
  readonly logins: Logins;
  readonly sessions: Sessions;
  readonly manage: ManageOptions;
  readonly secretKeyRotation: SecretKeyRotation;
  readonly log: Log;
  readonly openFiles: OpenFiles;
}

/** Builds what every handler of the API is given. */
export function createApi(options: ApiOptions, life: Pick<Api, "phase" | "started">): Api {
  const { settings, context } = options;
  const { machineClock: clock, ids } = context;
  let openApi: StaticFile | null = null;
  return {
    ...options,
    ...life,
    clock,
    ids,
    region: settings.region,
    admitsOperator: true,
    openAccountId: settings.mode === "dev" ? DEV_ACCOUNT_ID : null,
    metrics: new ServiceMetrics(context),
    metricsToken: settings.metricsToken,
    refusals: new RefusalCounts(),
    logStreams: new LogStreams(context, options.log),
    version: VERSION,
    startedAtSeconds: clock.wall() / 1_000,
    uploads: new UploadWatch(clock),
    burstLimit: new BurstLimit(clock),
    hookLimit: new HookLimit(clock),
    listGate: createListGate(clock),
    answerBudget: createAnswerBudget(clock),
    unread: new UnreadAnswers(),
    failedTokens: new FailedLogins({ clock, burst: 200, refillMs: 50 }),
    bodyBudget: createBodyBudget(clock),
    connections: new ConnectionLimit(
      settings.trustedProxies,
      connectionLimits(options.openFiles.callers),
    ),
    requireCaller: callerGuard(settings),
    takesTokenInQuery: settings.mode !== "dev",
    callerIp: callerIpReader(settings.trustedProxies),
    publicUrl: publicUrlReader(settings.publicUrl),
    hasEcho: settings.mode === "dev",
    dashboard: new DashboardFiles(),
    openApi: () =>
      (openApi ??= staticFile(
        JSON.stringify(openApiOf(DOCUMENTED_GROUPS, VERSION)),
        "application/json",
      )),
  };
}
