import type { PutScheduleAct, Tick } from "../../src/core/rules/schedule/schedules.ts";
import type { Account } from "../../src/core/model/account/account.ts";
import type {
  Schedule,
  ScheduleKey,
  ScheduleSettings,
} from "../../src/core/model/schedule/schedule.ts";
import { readDestination } from "../../src/core/policy/egress/read-destination.ts";
import type { EngineOptions } from "../../src/engine/engine-options.ts";
import { Retimer } from "../../src/engine/retimer.ts";
import { Ticker } from "../../src/engine/schedule/ticker.ts";
import type { Clock } from "../../src/platform/clock.ts";
import { SteadyClock } from "../../src/platform/due-time-clock.ts";
import { createIds } from "../../src/platform/ids.ts";
import { Bell } from "../../src/store/bell.ts";
import { RunLists } from "../../src/store/reads/run-lists.ts";
import { FairTurns } from "../../src/platform/fair-turns.ts";
import type { Store } from "../../src/store/store.ts";
import { anAccount, aNewMessage, bytes } from "./messages.ts";

export const scheduleKey = (scheduleId: string, accountId = "account"): ScheduleKey => ({
  accountId,
  scheduleId,
});

export function aSettings(fields: Partial<ScheduleSettings> = {}): ScheduleSettings {
  return {
    cron: "* * * * *",
    destination: "https://example.test/hook",
    options: {
      dialect: "svc",
      headers: [["Content-Type", "text/plain"]],
      settings: { retries: 3 },
    },
    callerIp: "192.0.2.1",
    version: "1",
    ...fields,
  };
}

export function aPutSchedule(
  at: number,
  scheduleId: string,
  fields: Partial<ScheduleSettings> = {},
  accountId = "account",
): PutScheduleAct {
  const key = scheduleKey(scheduleId, accountId);
  return { rule: "put-schedule", at, key, settings: aSettings(fields), body: bytes(scheduleId) };
}

/** A tick of a schedule as it was read, with a message of this id. */
export function aTick(schedule: Schedule, messageId: string, fields: Partial<Tick> = {}): Tick {
  const { accountId, scheduleId, version, nextAt } = schedule;
  const dueAt = nextAt ?? 0;
  const message = aNewMessage({ accountId, messageId, createdAt: dueAt, scheduleId });
  return {
    accountId,
    scheduleId,
    version,
    dueAt,
    nextAt: dueAt + 60_000,
    fired: { messages: [message] },
    ...fields,
  };
}

export interface Ticking {
  readonly ticker: Ticker;
  readonly retimer: Retimer;
  readonly logged: string[];
}

const unused = (): never => {
  throw new Error("nothing is sent here");
};

/** The parts of an engine that let schedules fire, over one store. */
export function tickingOn(
  store: Store,
  clock: Clock,
  account: (accountId: string) => Account | null = (accountId) => anAccount({ accountId }),
): Ticking {
  const logged: string[] = [];
  const log = (event: string, fields?: object): void => {
    logged.push(`${event} ${JSON.stringify(fields)}`);
  };
  const options: EngineOptions = {
    store,
    clock: new SteadyClock(clock),
    machineClock: clock,
    ids: createIds(),
    log: { info: log, warn: log, error: log },
    bell: new Bell(),
    tickBell: new Bell(),
    deletionBell: new Bell(),
    runLists: new RunLists(),
    turns: new FairTurns(),
    account,
    readDestination: (url) => readDestination(url, { mode: "dev", allow: [], httpsOnly: false }),
    courier: { send: unused, close: () => Promise.resolve() },
    signingKey: unused,
    responseBytesKept: unused,
    onAttempt: unused,
    onFatal: unused,
    keyIds: () => [],
    onSecretKey: () => undefined,
    alone: true,
    version: "0.0.0",
    nodeName: "host",
    requiresStandby: false,
    limits: {
      slots: 1,
      slotsPerHost: 1,
      bytesMax: 1,
      logBytesMax: 1,
      storedBytesMax: 10_000_000,
    },
  };
  return {
    ticker: new Ticker(options),
    retimer: new Retimer(options),
    logged,
  };
}
