import type { Act } from "./act.ts";
import type { Decision, Needs, Rows, Rule } from "./rule.ts";
import {
  addAccount,
  changeAccount,
  rotateCredentials,
  rotateSigningKeys,
  wakeLines,
} from "./rules/accounts.ts";
import { append } from "./rules/append.ts";
import { cancel } from "./rules/cancel.ts";
import { removeDeadLetters, retryDeadLetter } from "./rules/dead-letters.ts";
import { endRun } from "./rules/end-run.ts";
import { cancelReport, retryReport } from "./rules/failure-reports.ts";
import { handBack } from "./rules/lease.ts";
import { reviveRun } from "./rules/revive-run.ts";
import { setLine, unsetLine } from "./rules/lines.ts";
import { publish } from "./rules/publish.ts";
import { reply } from "./rules/reply.ts";
import { pauseService, setOperator } from "./rules/service.ts";
import { pauseSchedule, putSchedule, removeSchedule, tick } from "./rules/schedules.ts";
import { settle } from "./rules/settle.ts";
import { putEndpoints, removeEndpoints, removeTopic, setTopicHeaders } from "./rules/topics.ts";
import { restartFirstStep, startRun } from "./rules/start-run.ts";
import { notify, timeOutWait, wait } from "./rules/waits.ts";

/** Every rule by the name its act carries. A new act does not compile until its rule is here. */
export const RULES: { readonly [Name in Act["rule"]]: Rule<Extract<Act, { rule: Name }>> } = {
  publish,
  settle,
  "hand-back": handBack,
  cancel,
  "remove-dead-letters": removeDeadLetters,
  "retry-dead-letter": retryDeadLetter,
  "set-line": setLine,
  "unset-line": unsetLine,
  "put-endpoints": putEndpoints,
  "remove-endpoints": removeEndpoints,
  "set-topic-headers": setTopicHeaders,
  "remove-topic": removeTopic,
  "put-schedule": putSchedule,
  "remove-schedule": removeSchedule,
  "pause-schedule": pauseSchedule,
  tick,
  "add-account": addAccount,
  "change-account": changeAccount,
  "rotate-credentials": rotateCredentials,
  "rotate-signing-keys": rotateSigningKeys,
  "wake-lines": wakeLines,
  "set-operator": setOperator,
  "pause-service": pauseService,
  "start-run": startRun,
  "restart-first-step": restartFirstStep,
  append,
  reply,
  "end-run": endRun,
  wait,
  notify,
  "time-out-wait": timeOutWait,
  "revive-run": reviveRun,
  "retry-report": retryReport,
  "cancel-report": cancelReport,
};

export function needsOf(act: Act): Needs {
  return ruleOf(act).needs(act);
}

export function decide(act: Act, rows: Rows): Decision<unknown> {
  return ruleOf(act).decide(act, rows);
}

/** The table guarantees that the rule fits the act. */
function ruleOf(act: Act): Rule<Act> {
  return RULES[act.rule];
}
