import type { PartMapper, Decision, Needs, Rows, Rule } from "../rule.ts";
import {
  addAccount,
  changeAccount,
  deleteAccount,
  rotateCredentials,
  rotateSigningKeys,
  makeLinesDue,
  pauseService,
  setOperator,
} from "./account/accounts.ts";
import { beginSecretRotation, endSecretRotation, resealSigningKeys } from "./account/secret-key.ts";
import { addToken, revokeToken, useToken } from "./account/tokens.ts";
import { append } from "./workflow/append.ts";
import { cancel } from "./message/cancel.ts";
import { removeDeadLetters, retryDeadLetter } from "./message/dead-letters.ts";
import { endRun } from "./workflow/end-run.ts";
import { cancelReport, retryReport } from "./workflow/failure-reports.ts";
import { handBack } from "./message/lease.ts";
import { keepPiece } from "./message/keep-piece.ts";
import { rerun } from "./workflow/rerun.ts";
import { setLine, unsetLine } from "./line/lines.ts";
import { publish } from "./message/publish.ts";
import { reply } from "./workflow/reply.ts";
import { pauseSchedule, putSchedule, removeSchedule, tick } from "./schedule/schedules.ts";
import { sendManyNow, sendNow } from "./message/send-now.ts";
import { settle } from "./message/settle.ts";
import {
  putEndpoints,
  removeEndpoints,
  removeUrlGroup,
  setUrlGroupHeaders,
} from "./url-group/url-groups.ts";
import { restartFirstStep, startRun } from "./workflow/start-run.ts";
import { notify, timeOutWait, wait } from "./workflow/waits.ts";

/** Every rule, by the name in its act. */
const RULES = {
  publish,
  settle,
  "keep-piece": keepPiece,
  "hand-back": handBack,
  cancel,
  "remove-dead-letters": removeDeadLetters,
  "send-now": sendNow,
  "send-many-now": sendManyNow,
  "retry-dead-letter": retryDeadLetter,
  "set-line": setLine,
  "unset-line": unsetLine,
  "put-endpoints": putEndpoints,
  "remove-endpoints": removeEndpoints,
  "set-url-group-headers": setUrlGroupHeaders,
  "remove-url-group": removeUrlGroup,
  "put-schedule": putSchedule,
  "remove-schedule": removeSchedule,
  "pause-schedule": pauseSchedule,
  tick,
  "add-account": addAccount,
  "change-account": changeAccount,
  "delete-account": deleteAccount,
  "rotate-credentials": rotateCredentials,
  "rotate-signing-keys": rotateSigningKeys,
  "make-lines-due": makeLinesDue,
  "add-token": addToken,
  "revoke-token": revokeToken,
  "use-token": useToken,
  "set-operator": setOperator,
  "pause-service": pauseService,
  "begin-secret-rotation": beginSecretRotation,
  "reseal-signing-keys": resealSigningKeys,
  "end-secret-rotation": endSecretRotation,
  "start-run": startRun,
  "restart-first-step": restartFirstStep,
  append,
  reply,
  "end-run": endRun,
  wait,
  notify,
  "time-out-wait": timeOutWait,
  rerun,
  "retry-report": retryReport,
  "cancel-report": cancelReport,
};

type Rules = typeof RULES;

/**
 * A named rule and its arguments: the unit of writing. The store loads the rows that the rule
 * needs, runs it inside the transaction, writes the changes it returns, and returns its answer. An
 * act is applied as a whole or not at all. It is declared beside its rule; one whose rule is listed
 * under another name is not an act.
 */
export type Act = {
  [Name in keyof Rules]: Extract<ActOf<Rules[Name]>, { rule: Name }>;
}[keyof Rules];

type ActOf<R> = R extends { needs(act: infer A): Needs } ? A : never;

export type AnswerOf<A extends Act> = ReturnType<Rules[A["rule"]]["decide"]>["answer"];

export function needsOf(act: Act): Needs {
  return ruleOf(act).needs(act);
}

export function decide(act: Act, rows: Rows): Decision<unknown> {
  return ruleOf(act).decide(act, rows);
}

/** The act with its bodies and facts mapped; itself when it carries none. */
export function mapParts(act: Act, map: PartMapper): Act {
  const { mapParts: mapOwn } = ruleOf(act);
  return mapOwn === undefined ? act : mapOwn(act, map);
}

export function bodyBytesOf(act: Act): number {
  // To map the parts of an act copies it; the acts of every message are counted without.
  if (act.rule === "publish") {
    return act.items.reduce((sum, { message }) => sum + message.body.byteLength, 0);
  }
  if (act.rule === "settle" && act.source === null) return act.attempt.body.byteLength;
  let bytes = 0;
  mapParts(act, {
    body: (body) => {
      bytes += body.byteLength;
      return body;
    },
    facts: (facts) => facts,
  });
  return bytes;
}

type AnyRule = Omit<Rule<Act, unknown>, "mapParts"> & Partial<Pick<Rule<Act, unknown>, "mapParts">>;

/** The table guarantees that the rule fits the act. */
function ruleOf(act: Act): AnyRule {
  return RULES[act.rule] as AnyRule;
}
