import type { DriverReader } from "../../reads/list-reader.ts";
import {
  listAccounts,
  listLines,
  readAccount,
  readAccountByCustomer,
  readAccountByToken,
  readService,
} from "../tables/accounts.ts";
import { RetentionReader } from "../upkeep/retention.ts";
import { type Connections, IMMEDIATE } from "../driver/connection.ts";
import type { Session } from "../driver/conversation.ts";
import { readDailyCounts } from "../tables/daily-counts.ts";
import { listDeadRuns, readDeadRun } from "../tables/dead-runs.ts";
import { withProblems } from "../driver/errors.ts";
import {
  countQueues,
  lastPosition,
  listLineReports,
  readLineReport,
  readAreLinesSet,
  readLineSetting,
  readQueued,
} from "../tables/line-settings.ts";
import { PostgresList } from "./list.ts";
import { lastLiveMessage, listLiveMessages } from "./live-messages.ts";
import { readNodes } from "../tables/nodes.ts";
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
} from "../tables/schedules.ts";
import { listUrlGroups, readUrlGroup } from "../tables/url-groups.ts";

/** Everything that reads, each on one snapshot; lists have connections of their own. */
export function readingMethods(connections: Connections, listing: Connections): DriverReader {
  const read = new PostgresRead(connections);
  const reading = <T>(work: (session: Session) => Promise<T>): Promise<T> =>
    withProblems(connections.read(work));
  /** Reads that a publish makes before it is stored. */
  const readingRow = <T>(work: (session: Session) => Promise<T>): Promise<T> =>
    withProblems(connections.read(work, IMMEDIATE));
  return {
    ...listingMethods(listing),
    account: (accountId) => readingRow((session) => readAccount(session, accountId)),
    accountByToken: (tokenHash) => readingRow((session) => readAccountByToken(session, tokenHash)),
    accountByCustomer: (customerId) =>
      reading((session) => readAccountByCustomer(session, customerId)),
    service: () => readingRow(readService),
    nodes: () => reading(readNodes),
    message: (key, bodyBytesMax) => withProblems(read.message(key, bodyBytesMax)),
    bodyPart: (...asked) => withProblems(read.bodyPart(...asked)),
    lastStates: (accountId, messageIds) => withProblems(read.lastStates(accountId, messageIds)),
    deadLetter: (key, bodyBytesMax) => withProblems(read.deadLetter(key, bodyBytesMax)),
    run: (ref) => reading((session) => readRun(session, ref)),
    runEntries: (...asked) => reading((session) => readRunEntries(session, ...asked)),
    hasRunStep: (...asked) => reading((session) => hasRunStep(session, ...asked)),
    deadRun: (key) => reading((session) => readDeadRun(session, key)),
    waiters: (...asked) => reading((session) => listWaiters(session, ...asked)),
    dueWaiters: (now, count) => reading((session) => dueWaiters(session, now, count)),
    nextDeadlineAt: () => reading(nextDeadlineAt),
    urlGroup: (key) => readingRow((session) => readUrlGroup(session, key)),
    schedule: (key) => reading((session) => readSchedule(session, key)),
    dueSchedules: (...asked) => reading((session) => dueSchedules(session, ...asked)),
    laterSchedules: (after, count) => reading((session) => laterSchedules(session, after, count)),
    nextScheduleAt: () => reading(nextScheduleAt),
    lineSetting: (key) => readingRow((session) => readLineSetting(session, key)),
    areLinesSet: (keys) => readingRow((session) => readAreLinesSet(session, keys)),
    countQueues: (accountId) => readingRow((session) => countQueues(session, accountId)),
    lastPosition: (key) => reading((session) => lastPosition(session, key)),
    underWay: (accountId) => withProblems(read.underWay(accountId)),
    leases: (nodeId, leasedBefore) => withProblems(read.leases(nodeId, leasedBefore)),
    dailyCounts: (accountId, fromDay) =>
      withProblems(readDailyCounts(connections, accountId, fromDay)),
    // Deleted rows stay in PostgreSQL's files until they are reused.
    size: () => Promise.resolve({ usedBytes: null }),
  };
}

/** The methods that LIST_METHODS names. */
function listingMethods(connections: Connections) {
  const ages = new RetentionReader(connections);
  const list = new PostgresList(connections);
  const read = new PostgresRead(connections);
  const listing = <T>(work: (session: Session) => Promise<T>): Promise<T> =>
    withProblems(connections.read(work));
  return {
    log: (accountId, filter, slice) => withProblems(list.log(accountId, filter, slice)),
    deadLetters: (accountId, filter, slice) =>
      withProblems(list.deadLetters(accountId, filter, slice)),
    deadRuns: (...asked) => listing((session) => listDeadRuns(session, ...asked)),
    runs: (...asked) => listing((session) => listRuns(session, ...asked)),
    activeRuns: (...asked) => listing((session) => listActiveRuns(session, ...asked)),
    runHistory: (...asked) => listing((session) => readRunHistory(session, ...asked)),
    lastLiveMessage: (accountId) => listing((session) => lastLiveMessage(session, accountId)),
    liveMessages: (...asked) => listing((session) => listLiveMessages(session, ...asked)),
    urlGroups: (accountId) => listing((session) => listUrlGroups(session, accountId)),
    schedules: (...asked) => listing((session) => listSchedules(session, ...asked)),
    line: (...asked) => listing((session) => readLineReport(session, ...asked)),
    lines: (...asked) => listing((session) => listLineReports(session, ...asked)),
    queued: (...asked) => listing((session) => readQueued(session, ...asked)),
    accounts: (after, count) => listing((session) => listAccounts(session, after, count)),
    accountLines: (...asked) => listing((session) => listLines(session, ...asked)),
    oldest: (accountIds) => withProblems(ages.oldest(accountIds)),
    olderDeadLetter: (accountId, than, steps) =>
      withProblems(ages.olderDeadLetter(accountId, than, steps)),
    counts: () => withProblems(read.counts()),
  } satisfies Partial<DriverReader>;
}
