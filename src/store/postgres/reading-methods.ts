import type { Reader } from "../reader.ts";
import {
  listAccounts,
  listLines,
  readAccount,
  readAccountByCustomer,
  readAccountByToken,
  readService,
} from "./accounts.ts";
import { Ages } from "./ages.ts";
import { type Connections, IMMEDIATE } from "./connection.ts";
import type { Session } from "./conversation.ts";
import { readDailyCounts } from "./daily-counts.ts";
import { listDeadRuns, readDeadRun } from "./dead-runs.ts";
import { heard } from "./errors.ts";
import {
  countQueues,
  lastPosition,
  listLineReports,
  readLineReport,
  readAreLinesSet,
  readLineSetting,
  readQueued,
} from "./line-settings.ts";
import { PostgresList } from "./list.ts";
import { lastLiveMessage, listLiveMessages } from "./live-messages.ts";
import { PostgresRead } from "./read.ts";
import {
  dueWaiters,
  listActiveRuns,
  listWaiters,
  nextDeadlineAt,
  readRun,
  hasRunStep,
  readRunEntries,
} from "./read-runs.ts";
import { listRuns, readRunHistory } from "./run-log.ts";
import {
  dueSchedules,
  laterSchedules,
  listSchedules,
  nextScheduleAt,
  readSchedule,
} from "./schedules.ts";
import { listTopics, readTopic } from "./topics.ts";

/** Everything that reads, each on one snapshot. */
export function readingMethods(connections: Connections): Reader {
  const read = new PostgresRead(connections);
  const ages = new Ages(connections);
  const list = new PostgresList(connections);
  const reading = <T>(work: (session: Session) => Promise<T>): Promise<T> =>
    heard(connections.read(work));
  /** What a publish needs to know before it is stored. */
  const readingRow = <T>(work: (session: Session) => Promise<T>): Promise<T> =>
    heard(connections.read(work, IMMEDIATE));
  return {
    account: (accountId) => readingRow((session) => readAccount(session, accountId)),
    accountByToken: (tokenHash) => readingRow((session) => readAccountByToken(session, tokenHash)),
    accountByCustomer: (customerId) =>
      reading((session) => readAccountByCustomer(session, customerId)),
    accounts: (after, count) => reading((session) => listAccounts(session, after, count)),
    accountLines: (...asked) => reading((session) => listLines(session, ...asked)),
    service: () => readingRow(readService),
    message: (key) => heard(read.message(key)),
    lastStates: (accountId, messageIds) => heard(read.lastStates(accountId, messageIds)),
    log: (accountId, filter, page) => heard(list.log(accountId, filter, page)),
    deadLetter: (key) => heard(read.deadLetter(key)),
    deadLetters: (accountId, filter, page) => heard(list.deadLetters(accountId, filter, page)),
    lastLiveMessage: (accountId) => reading((session) => lastLiveMessage(session, accountId)),
    liveMessages: (accountId, filter, range) =>
      reading((session) => listLiveMessages(session, accountId, filter, range)),
    run: (ref) => reading((session) => readRun(session, ref)),
    runEntries: (key) => reading((session) => readRunEntries(session, key)),
    hasRunStep: (...asked) => reading((session) => hasRunStep(session, ...asked)),
    activeRuns: (...asked) => reading((session) => listActiveRuns(session, ...asked)),
    deadRun: (key) => reading((session) => readDeadRun(session, key)),
    deadRuns: (...asked) => reading((session) => listDeadRuns(session, ...asked)),
    runs: (...asked) => reading((session) => listRuns(session, ...asked)),
    runHistory: (...asked) => reading((session) => readRunHistory(session, ...asked)),
    waiters: (...asked) => reading((session) => listWaiters(session, ...asked)),
    dueWaiters: (now, count) => reading((session) => dueWaiters(session, now, count)),
    nextDeadlineAt: () => reading(nextDeadlineAt),
    topic: (key) => readingRow((session) => readTopic(session, key)),
    topics: (accountId) => reading((session) => listTopics(session, accountId)),
    schedule: (key) => reading((session) => readSchedule(session, key)),
    schedules: (...asked) => reading((session) => listSchedules(session, ...asked)),
    dueSchedules: (...asked) => reading((session) => dueSchedules(session, ...asked)),
    laterSchedules: (after, count) => reading((session) => laterSchedules(session, after, count)),
    nextScheduleAt: () => reading(nextScheduleAt),
    lineSetting: (key) => readingRow((session) => readLineSetting(session, key)),
    areLinesSet: (keys) => readingRow((session) => readAreLinesSet(session, keys)),
    line: (...asked) => reading((session) => readLineReport(session, ...asked)),
    lines: (...asked) => reading((session) => listLineReports(session, ...asked)),
    countQueues: (accountId) => readingRow((session) => countQueues(session, accountId)),
    lastPosition: (key) => reading((session) => lastPosition(session, key)),
    queued: (...asked) => reading((session) => readQueued(session, ...asked)),
    underWay: (accountId) => heard(read.underWay(accountId)),
    leases: (nodeId, leasedBefore) => heard(read.leases(nodeId, leasedBefore)),
    oldest: (accountIds) => heard(ages.oldest(accountIds)),
    olderDeadLetter: (accountId, than, steps) =>
      heard(ages.olderDeadLetter(accountId, than, steps)),
    dailyCounts: (accountId, fromDay) => heard(readDailyCounts(connections, accountId, fromDay)),
    counts: () => heard(read.counts()),
    // Deleted rows stay in PostgreSQL's files until they are used again.
    size: () => Promise.resolve({ usedBytes: null }),
  };
}
