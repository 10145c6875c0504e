import type { Settings } from "../../../config/settings.ts";
import { VERSION } from "../../../config/version.ts";
import { SettingError } from "../../../config/read-settings.ts";
import type { OpenFiles } from "../../../core/policy/limits/open-files.ts";
import type { Accounts } from "../../../operations/account/accounts.ts";
import type { Context } from "../../../operations/context.ts";
import { DEV_ACCOUNT_ID } from "../../../operations/account/first-accounts.ts";
import { FailedLogins } from "../../../operations/account/failed-logins.ts";
import type { Logins } from "../../../operations/account/logins.ts";
import type { ManageOptions } from "../../../operations/account/manage-accounts.ts";
import type { Sessions } from "../../../operations/account/sessions.ts";
import { LogStreams } from "../../../operations/message/log-streams.ts";
import { ServiceMetrics } from "../../../operations/service-metrics.ts";
import type { Clock } from "../../../platform/clock.ts";
import { endsWithin } from "../../../platform/ends-within.ts";
import type { Log } from "../../../platform/log.ts";
import { createAnswerMemory } from "../limits/answer-memory.ts";
import { BurstLimit } from "../limits/burst-limit.ts";
import { callerIpReader } from "../callers/caller-ip.ts";
import type { Api, Route, ServicePhase } from "./call.ts";
import { ConnectionLimit, connectionLimits } from "../limits/connection-limit.ts";
import { SESSION_ROUTES } from "../../account/session.ts";
import { CONSOLE_ROUTES } from "../../account/console-routes.ts";
import { DashboardFiles } from "../pages/dashboard-files.ts";
import { DASHBOARD_ROUTES } from "../pages/dashboard-routes.ts";
import { HookLimit } from "../../workflow/hook-limit.ts";
import { createListGate } from "../limits/list-gate.ts";
import { bodyBudget } from "../limits/memory-gate.ts";
import { callerGuard } from "../callers/local-callers.ts";
import { Reference } from "../../reference/reference.ts";
import { REFERENCE_ROUTES } from "../../reference/routes.ts";
import { DOCUMENTED_GROUPS, ROUTES } from "../../routes.ts";
import { publicUrlReader } from "../callers/public-url.ts";
import { RefusalCounts } from "../limits/refusal-counts.ts";
import { ApiServer } from "./server.ts";
import { UnreadAnswers } from "../limits/unread-answers.ts";
import { UploadWatch } from "../limits/upload-watch.ts";

export interface ListenersOptions {
  readonly settings: Settings;
  readonly context: Context;
  readonly accounts: Accounts;
  readonly logins: Logins;
  readonly sessions: Sessions;
  readonly manage: ManageOptions;
  readonly log: Log;
  readonly openFiles: OpenFiles;
}

export interface Ports {
  readonly port: number;
  /** The same port unless the console has a separate one. */
  readonly consolePort: number;
}

/** The listening sockets of the service: one port for all, or a second one for the console. */
export class Listeners {
  readonly #settings: Settings;
  readonly #clock: Clock;
  readonly #drainMs: number;
  readonly #uploads: UploadWatch;
  readonly #api: Api;
  readonly #servers: ApiServer[] = [];
  readonly #started = Promise.withResolvers<void>();
  #phase: ServicePhase = "starting";

  constructor(options: ListenersOptions) {
    const { settings, context } = options;
    const { clock, ids } = context;
    this.#settings = settings;
    this.#clock = clock;
    this.#drainMs = settings.drain ?? (settings.databaseUrl === undefined ? 0 : DRAIN_MS);
    this.#uploads = new UploadWatch(clock);
    this.#api = {
      ...options,
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
      uploads: this.#uploads,
      burstLimit: new BurstLimit(clock),
      hookLimit: new HookLimit(clock),
      listGate: createListGate(clock),
      answers: createAnswerMemory(clock),
      unread: new UnreadAnswers(),
      failedTokens: new FailedLogins({ clock, burst: 200, refillMs: 50 }),
      gate: bodyBudget(clock),
      connections: new ConnectionLimit(
        settings.trustedProxies,
        connectionLimits(options.openFiles.callers),
      ),
      requireCaller: callerGuard(settings),
      takesTokenInQuery: settings.mode !== "dev",
      callerIp: callerIpReader(settings.trustedProxies),
      publicUrl: publicUrlReader(settings.publicUrl),
      phase: () => this.#phase,
      started: this.#started.promise,
      hasEcho: settings.mode === "dev",
      dashboard: new DashboardFiles(),
      reference: new Reference(DOCUMENTED_GROUPS, VERSION),
    };
  }

  async open(): Promise<Ports> {
    const { host, port, consolePort } = this.#settings;
    if (consolePort === undefined) {
      const routes = [...ROUTES, ...CONSOLE_ROUTES, ...DASHBOARD_ROUTES];
      const opened = await this.#listen(routes, { host, port });
      return { port: opened, consolePort: opened };
    }
    return {
      port: await this.#listen([...ROUTES, ...DASHBOARD_ROUTES], {
        host,
        port,
        admitsOperator: false,
      }),
      consolePort: await this.#listen(
        [...CONSOLE_ROUTES, ...SESSION_ROUTES, ...REFERENCE_ROUTES, ...DASHBOARD_ROUTES],
        { host, port: consolePort, flag: "--console-port" },
      ),
    };
  }

  /** Only the console, for this machine, on any free port. */
  async openConsole(): Promise<number> {
    return this.#listen(CONSOLE_ROUTES, { host: "127.0.0.1", port: 0 });
  }

  /** From here on requests are answered; those that came earlier have waited. */
  becomeReady(): void {
    this.#phase = "ready";
    this.#started.resolve();
  }

  /** Lets balancers know that they should send requests elsewhere; until they do, it answers them. */
  async turnAway(): Promise<void> {
    this.#phase = "draining";
    if (this.#drainMs > 0) await this.#clock.sleep(this.#drainMs);
  }

  /** Waits for the requests in progress, and for those that open connections still bring. */
  async drain(graceMs: number): Promise<void> {
    // While connections are kept, few new ones are opened that this could cut off.
    await Promise.all(this.#servers.map((server) => server.stopListening()));
    this.#phase = "leaving";
    this.#api.logStreams.close();
    const drained = Promise.all(this.#servers.map((server) => server.drain(this.#drainMs)));
    await endsWithin(this.#clock, Math.min(graceMs, DRAIN_MS_MAX), drained);
  }

  close(): void {
    this.#api.logStreams.close();
    for (const server of this.#servers) server.close();
    this.#uploads.stop();
  }

  /** A first start of dev must not fail because its port is taken; a start of serve must. */
  async #listen(
    routes: readonly Route[],
    { host, port, flag = "--port", admitsOperator = true }: ListenOptions,
  ): Promise<number> {
    const server = new ApiServer({ ...this.#api, admitsOperator }, routes);
    if (this.#servers.length === 0) this.#uploads.start();
    this.#servers.push(server);
    const tries = this.#settings.mode === "dev" && port !== 0 ? DEV_PORTS_TRIED : 1;
    try {
      return await server.listen(port, host, tries);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
      throw new SettingError(
        `port ${port} on ${host} is taken; stop what uses it, or give ${flag} another`,
      );
    }
  }
}

interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** The flag that chooses the port. */
  readonly flag?: string;
  /** Whether the operator may sign in here. */
  readonly admitsOperator?: boolean;
}

/** With SQLite there is no other node to which a balancer could send requests. */
const DRAIN_MS = 5_000;
const DRAIN_MS_MAX = 10_000;
const DEV_PORTS_TRIED = 20;
