import type { WaitingPlaces } from "../model/line/waiting.ts";
import { type DeadLetter, deadLetterId } from "../model/message/dead-letter.ts";
import type { LogEntry } from "../model/message/log-entry.ts";
import type {
  AddressFilter,
  CommonFilter,
  DeadLetterFilter,
  LogFilter,
  MessageFilter,
} from "../model/message/log-filter.ts";
import type { Message, Settings, MessageState } from "../model/message/message.ts";
import type { Instant } from "../model/time.ts";

/** The values that a filter wants; true when it has no such field. */
export function isAmong<Value>(
  wanted: readonly Value[] | undefined,
  value: Value | undefined,
): boolean {
  return wanted === undefined || (value !== undefined && wanted.includes(value));
}

/** The dates of a filter. Both bounds are inclusive. */
export function isWithin(
  { fromAt, toAt }: Pick<CommonFilter, "fromAt" | "toAt">,
  at: Instant,
): boolean {
  return (fromAt === undefined || at >= fromAt) && (toAt === undefined || at <= toAt);
}

/** A text that a filter wants somewhere; true when it wants none. */
export function isWithinText(wanted: string | undefined, texts: readonly (string | undefined)[]) {
  if (wanted === undefined) return true;
  const text = wanted.toLowerCase();
  return texts.some((each) => each?.toLowerCase().includes(text) ?? false);
}

interface Common {
  readonly callerIp: string;
  readonly settings: Pick<Settings, "labels" | "flowControl">;
}

export function matchesCommon(filter: CommonFilter, { callerIp, settings }: Common): boolean {
  return (
    isAmong(filter.callerIps, callerIp) &&
    isAmong(filter.flowControlKeys, settings.flowControl?.key) &&
    (filter.labels?.some((label) => settings.labels?.includes(label)) ?? true)
  );
}

/** What the filter is about besides the message: the instant of its dates, and the error. */
interface Told {
  readonly at: Instant;
  readonly error?: string | undefined;
}

function matchesMessage(filter: MessageFilter, message: Message, { at, error }: Told): boolean {
  const { search, urlPrefixes } = filter;
  return (
    isWithin(filter, at) &&
    isAmong(filter.messageIds, message.messageId) &&
    isAmong(filter.urls, message.url) &&
    (urlPrefixes?.some((prefix) => message.url.startsWith(prefix)) ?? true) &&
    isWithinText(search, [message.url, error, ...(message.settings.labels ?? [])]) &&
    isAmong(filter.urlGroups, message.urlGroup) &&
    isAmong(filter.scheduleIds, message.scheduleId) &&
    isAmong(filter.queueNames, message.queueName) &&
    matchesCommon(filter, message)
  );
}

/** What is shown of a destination without its port is its host too. */
export function matchesAddress(
  { hosts, paths }: Pick<AddressFilter, "hosts" | "paths">,
  destination: string,
): boolean {
  if (hosts === undefined && paths === undefined) return true;
  const url = URL.parse(destination);
  if (url === null) return false;
  return (isAmong(hosts, url.host) || isAmong(hosts, url.hostname)) && isAmong(paths, url.pathname);
}

/** Whether a message that has not ended matches the filter. Dates apply to its creation. */
export function matchesLive(filter: AddressFilter, message: Message): boolean {
  const told = { at: message.createdAt };
  return matchesMessage(filter, message, told) && matchesAddress(filter, message.url);
}

export function matchesLog(filter: LogFilter, entry: LogEntry, message: Message): boolean {
  return (
    isAmong(filter.states, entry.state) &&
    isAmong(filter.statuses, entry.status) &&
    isWithinText(filter.errorText, [entry.error]) &&
    matchesMessage(filter, message, entry) &&
    matchesAddress(filter, message.url)
  );
}

/** Whether a dead letter matches the filter. Dates apply to the time it died. */
export function matchesDeadLetter(
  filter: DeadLetterFilter,
  deadLetter: DeadLetter,
  message: Message,
): boolean {
  return (
    (deadLetter.run !== undefined) === (filter.isOfRun ?? false) &&
    isAmong(filter.statuses, deadLetter.status) &&
    isAmong(filter.errors, deadLetter.error ?? "") &&
    isWithinText(filter.errorText, failureTexts(deadLetter)) &&
    isAmong(filter.causes, deadLetter.cause) &&
    isAmong(filter.deadLetterIds, deadLetterId(deadLetter)) &&
    matchesAddress({ hosts: filter.hosts }, message.url) &&
    matchesMessage(filter, message, {
      at: deadLetter.diedAt,
      error: failureTexts(deadLetter).join(" "),
    })
  );
}

/** Where a text of an error is looked for: the error, and what the last answer said. */
export function failureTexts({ error = "", cause }: DeadLetter): readonly string[] {
  return [error, cause];
}

/** Whether a message waits for one of the reasons that a filter names. */
export function waitsFor({ now, reasons, lines }: WaitingPlaces, state: MessageState): boolean {
  if (state.phase !== "waiting") return false;
  if (state.readyAt > now) return reasons.includes(state.attempts > 0 ? "retry" : "delay");
  return lines.includes(state.line);
}

/** A bulk action on messages that have not ended. */
export type LiveAction =
  | { readonly action: "cancel" }
  /** `at` is the present. */
  | { readonly action: "send-now"; readonly at: Instant };

/** Messages of runs are not canceled one by one; an untried one may be a sleep, left alone. */
export function wouldChange(target: LiveAction, state: MessageState): boolean {
  if (state.cancelRequested) return false;
  if (target.action === "cancel") return state.run === null;
  const isSleep = state.run !== null && state.attempts === 0;
  return state.phase === "waiting" && state.readyAt > target.at && !isSleep;
}
