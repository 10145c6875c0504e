import type { IncomingMessage } from "node:http";
import type { Access, Accounts } from "../../../operations/account/accounts.ts";
import type { Context } from "../../../operations/context.ts";
import type { FailedLogins } from "../../../operations/account/sign-in-guard.ts";
import type { ConsoleAccess, Logins } from "../../../operations/account/logins.ts";
import type { ManageOptions } from "../../../operations/account/manage-accounts.ts";
import type { SecretKeyRotation } from "../../../operations/account/rotate-secret-key.ts";
import type { Sessions } from "../../../operations/account/sessions.ts";
import type { LogStreams } from "../../../operations/message/log-streams.ts";
import type { ServiceMetrics } from "../../../operations/service-metrics.ts";
import type { VirtualClock } from "../../../operations/virtual-clock.ts";
import type { Budget } from "../../../platform/budget.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Ids } from "../../../platform/ids.ts";
import type { Log } from "../../../platform/log.ts";
import type { ParameterRow } from "../../../wire/filters/filter-parameters.ts";
import type { HeaderCall } from "../../../wire/headers/header.ts";
import type { Schema } from "../../../wire/json/schema.ts";
import type { Answer } from "../answers/answer.ts";
import type { StaticFile } from "../answers/static-file.ts";
import type { Body, BodyTools } from "./body.ts";
import type { ConnectionLimit } from "../limits/connection-limit.ts";
import type { BurstLimit } from "../limits/burst-limit.ts";
import type { DashboardFiles } from "../pages/dashboard-files.ts";
import type { RefusalCounts } from "../answers/problem-answer.ts";
import type { UnreadAnswers } from "../limits/unread-answers.ts";
import type { CallerGuard } from "../callers/local-callers.ts";
import type { HookLimit } from "../../workflow/hook-limit.ts";

/** The dependencies of all handlers of the API. */
export interface Api extends BodyTools {
  readonly context: Context;
  readonly accounts: Accounts;
  readonly metrics: ServiceMetrics;
  /** Lets monitoring on other machines read the metrics. */
  readonly metricsToken: string | undefined;
  readonly refusals: RefusalCounts;
  /** Live streams of the log. */
  readonly logStreams: LogStreams;
  readonly version: string;
  readonly startedAtSeconds: number;
  readonly logins: Logins;
  /** Sessions of people in a browser. */
  readonly sessions: Sessions;
  /** The account that needs no sign-in, in dev. */
  readonly openAccountId: string | null;
  /** False on the public port where the console has a port of its own. */
  readonly admitsOperator: boolean;
  /** Failed tokens, by the caller's address. */
  readonly failedTokens: FailedLogins;
  readonly manage: ManageOptions;
  readonly secretKeyRotation: SecretKeyRotation;
  /** The region in the account record. */
  readonly region: string;
  /** Times requests and answers; `context.clock` says what time it is. */
  readonly clock: Clock;
  /** Only in dev. */
  readonly virtualClock: VirtualClock | null;
  readonly ids: Ids;
  readonly log: Log;
  readonly burstLimit: BurstLimit;
  readonly hookLimit: HookLimit;
  readonly listGate: Budget;
  /** Bytes of responses that are being made or written. */
  readonly answerBudget: Budget;
  /** Bytes of other responses, from when they are written until they are read. */
  readonly unread: UnreadAnswers;
  readonly connections: ConnectionLimit;
  readonly callerIp: (request: IncomingMessage) => string;
  /** Checked before anything else. */
  readonly requireCaller: CallerGuard;
  /** Whether the query may carry a token, where web pages can put one. */
  readonly takesTokenInQuery: boolean;
  /** The URL under which the caller reached the service. */
  readonly publicUrl: (request: IncomingMessage) => {
    readonly proto: string;
    readonly host: string;
  };
  readonly phase: () => ServicePhase;
  /** Resolves when the phase is no longer "starting". */
  readonly started: Promise<void>;
  /** The description of the API that it serves itself, made when it is first read. */
  readonly openApi: () => StaticFile;
  /** The built-in target for first deliveries. */
  readonly hasEcho: boolean;
  readonly dashboard: DashboardFiles;
}

/**
 * In "draining", balancers are told to send requests elsewhere, and those that still come are
 * answered. In "leaving", only open connections bring requests, and each answer closes its own.
 */
export type ServicePhase = "starting" | "ready" | "draining" | "leaving";

/** One request to one route, before its body is read. */
export interface UnreadCall {
  readonly request: IncomingMessage;
  /** The path after the route's fixed part, as it was sent, with the query. */
  readonly rest: string;
  /** The query, as it was sent, without the token. */
  readonly query: string;
  /** The variable part of the path before the rest, decoded; empty where it has none. */
  readonly id: string;
}

/** A call whose caller was checked: its body may be read. */
export interface Call extends UnreadCall {
  readonly body: Body;
}

/** A call whose token was accepted. */
export interface AccountCall extends Call {
  readonly access: Access;
  readonly account: Access["account"];
  readonly accountId: string;
  /** Whether the caller still has access; a Problem when not. */
  readonly identifyAgain: () => Access | Promise<Access>;
}

/** A call whose name and password were accepted. */
export interface ConsoleCall extends Call {
  readonly access: ConsoleAccess;
}

type RouteMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "ANY";

/** What is known of a route beside its handler. */
export interface RouteFacts {
  readonly method: RouteMethod;
  /** `{name}` is one segment, `{name+}` one or more of them, `{name...}` all that follows, raw. */
  readonly path: string;
  /** Its name in the reference. */
  readonly title?: string;
  /** The sentence that documents it. */
  readonly says: string;
  /** It creates messages: the limit of the day applies, and not that of a second. */
  readonly publishes?: boolean;
  /** It reads many rows: an account may have a few such requests in progress at once. */
  readonly lists?: boolean;
  /** The parameters of its query. */
  readonly query?: readonly ParameterRow[];
  /** The call whose headers it reads. */
  readonly headers?: HeaderCall;
  /** Its body: JSON of this form, or bytes that are passed on unread. */
  readonly body?: Schema | "bytes";
  /** Its answers by status; null for an empty one. */
  readonly answers?: Readonly<Record<number, Schema | null>>;
  /** An older name or method of another route. */
  readonly isOlder?: boolean;
}

/** "open" needs no token. */
export type Route = (RouteFacts & OpenRoute) | AccountRoute | ConsoleRoute;

/** Without a token a body is read only by a route that admits its requests first. */
export type OpenRoute =
  | { readonly needs: "open"; readonly handler: OpenHandler; readonly admit?: undefined }
  | { readonly needs: "open"; readonly admit: Admit };

/** "read" accepts a read-only token, "owner" only the main token and the account's password. */
export type AccountNeeds = "read" | "write" | "owner";

export interface AccountRoute extends RouteFacts {
  readonly needs: AccountNeeds;
  readonly handler: AccountHandler;
}

/** "console" admits the operator, and accounts for their own data. */
export interface ConsoleRoute extends RouteFacts {
  readonly needs: "console" | "operator";
  readonly handler: ConsoleHandler;
}

/** The routes of one feature, as the reference lists them. */
export interface RouteGroup {
  readonly name: string;
  readonly says: string;
  readonly routes: readonly Route[];
}

export type OpenHandler = (api: Api, call: UnreadCall) => Answer | Promise<Answer>;
/** Checks the caller before a byte of the body is read, and returns the handler of the request. */
export type Admit = (api: Api, call: UnreadCall) => AdmittedHandler | Promise<AdmittedHandler>;
export type AdmittedHandler = (body: Body) => Answer | Promise<Answer>;
export type ConsoleHandler = (api: Api, call: ConsoleCall) => Answer | Promise<Answer>;
export type AccountHandler = (api: Api, call: AccountCall) => Answer | Promise<Answer>;
