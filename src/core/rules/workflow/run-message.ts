import type { Change } from "../../change.ts";
import type { HeaderList, Message, MessageKind, RunPosition } from "../../model/message/message.ts";
import type { Instant } from "../../model/time.ts";
import type { Run, RunState } from "../../model/workflow/run.ts";
import { newMessage } from "../message/compose-message.ts";
import { hostOf } from "../../policy/egress/read-destination.ts";
import { replaceHeaders } from "../../policy/headers/header-name.ts";
import { SENT_BYTES_MAX } from "./run-entries.ts";
import { mayLeaseRunMessage } from "../message/immediate-lease.ts";
import { addMessage } from "../message/publish.ts";
import { redactionWithin } from "../../views/redact.ts";

export interface Submitted {
  readonly messageId: string;
  /** The same step was submitted before; `messageId` is that of the first submission. */
  readonly deduplicated: boolean;
  /** The message is leased to the node in the request. */
  readonly leased: boolean;
  /** The encoded leased message, so that the node that sends it need not read it. */
  readonly facts?: string | undefined;
}

const NOTHING = new Uint8Array(0);

/** A message to be sent for an entry of a run. */
export interface NewRunMessage {
  readonly kind: Extract<MessageKind, "step" | "call" | "call-result">;
  /** The requested message, before the run's settings. */
  readonly requested: Message;
  readonly ordinal: number;
  /** For calls and their results; steps deliver the entries of the run. */
  readonly body?: Uint8Array | undefined;
  readonly nodeId: string | null;
}

export interface AddedRunMessage {
  readonly changes: readonly Change[];
  readonly leased: boolean;
  readonly facts?: string | undefined;
}

/** Adds a message to a run whose entry was just added. */
export function addRunMessage(
  state: RunState,
  { kind, requested, ordinal, body, nodeId }: NewRunMessage,
): AddedRunMessage {
  const position = positionOf(state.run, ordinal);
  const message = withRunSettings(state.run, { ...requested, kind, run: position });
  const isFree = mayLeaseRunMessage(message);
  const added = newMessage(message, hostOf(message.url), body ?? NOTHING, isFree ? nodeId : null);
  const bytes = kind === "step" ? sentBytes(state) : added.state.bytes;
  const leased = isFree && nodeId !== null;
  return {
    changes: addMessage({ ...added, state: { ...added.state, bytes } }),
    leased,
    ...(leased && { facts: added.facts }),
  };
}

/** A message requested earlier, to be sent now. */
export function dueNow(message: Message, messageId: string, at: Instant): Message {
  return { ...message, messageId, createdAt: at, notBefore: at };
}

export function positionOf(run: Run, ordinal: number): RunPosition {
  const { runId, createdAt, workflowUrl, features, invoker } = run;
  return {
    runId,
    createdAt,
    workflowUrl,
    ordinal,
    lazyFetch: features.lazyFetch ? true : undefined,
    detectTrigger: ordinal === 0 && features.detectTrigger ? true : undefined,
    invoker: invoker && {
      runId: invoker.runId,
      createdAt: invoker.createdAt,
      stepId: invoker.step.stepId,
    },
  };
}

/** Settings of the trigger apply to all messages to the endpoint, if the run inherits them. */
function withRunSettings(run: Run, message: Message): Message {
  const { kind, settings } = message;
  const { labels } = run.settings;
  const redact =
    kind === "step" ? run.settings.redact : redactionWithin(run.settings.redact, settings.redact);
  if (kind === "call" || !run.features.inheritsSettings) {
    return { ...message, settings: { ...settings, labels, redact } };
  }
  const { callback, failureCallback } = settings;
  const inherited = kind === "call-result" ? userHeaders(run) : run.headers;
  return {
    ...message,
    settings: { ...run.settings, callback, failureCallback, redact },
    headers: replaceHeaders(inherited, message.headers),
  };
}

/** The headers of a call's result must not make it look like a step. */
function userHeaders({ headers }: Run): HeaderList {
  return headers.filter(([name]) => !WORKFLOW_NAME.test(name));
}

/** A list that the endpoint will fetch is not in memory while it is sent. */
function sentBytes({ bytes, run }: RunState): number {
  return run.features.lazyFetch && bytes > SENT_BYTES_MAX ? 0 : bytes;
}

const WORKFLOW_NAME = /^(?:svc|upstash)-workflow-/i;
