import { Accounts } from "../tables/accounts.ts";
import { RetentionReader } from "../upkeep/retention.ts";
import type { Database } from "./connection.ts";
import { DailyCounts } from "../tables/daily-counts.ts";
import { DeadRuns } from "../tables/dead-runs.ts";
import { readNodes } from "../tables/nodes.ts";
import { LineSettings } from "../tables/line-settings.ts";
import { LiveMessages } from "../reads/live-messages.ts";
import { SqliteList } from "../reads/list.ts";
import { ReadRuns } from "../reads/read-runs.ts";
import { RunLog } from "../reads/run-log.ts";
import { SqliteRead } from "../reads/read.ts";
import { Schedules } from "../tables/schedules.ts";
import { UrlGroups } from "../tables/url-groups.ts";

export type ReadingMethods = ReturnType<typeof readingMethods>;

/** Everything that reads, by the names that the main thread calls. */
export function readingMethods(database: Database) {
  const runs = new ReadRuns(database);
  const read = new SqliteRead(database, runs);
  const ages = new RetentionReader(database);
  const days = new DailyCounts(database);
  const list = new SqliteList(database, read);
  const accounts = new Accounts(database);
  const live = new LiveMessages(database);
  const urlGroups = new UrlGroups(database);
  const schedules = new Schedules(database);
  const lineSettings = new LineSettings(database);
  return {
    ready: () => true,
    account: accounts.read.bind(accounts),
    accountByToken: accounts.readByToken.bind(accounts),
    accountByCustomer: accounts.readByCustomer.bind(accounts),
    accounts: accounts.list.bind(accounts),
    accountLines: accounts.lines.bind(accounts),
    service: accounts.readService.bind(accounts),
    nodes: () => readNodes(database),
    message: read.message.bind(read),
    bodyPart: read.bodyPart.bind(read),
    lastStates: read.lastStates.bind(read),
    deadLetter: read.deadLetter.bind(read),
    leases: read.leases.bind(read),
    oldest: ages.oldest.bind(ages),
    olderDeadLetter: ages.olderDeadLetter.bind(ages),
    dailyCounts: days.dailyCounts.bind(days),
    counts: read.counts.bind(read),
    size: read.size.bind(read),
    leased: read.leased.bind(read),
    log: list.log.bind(list),
    deadLetters: list.deadLetters.bind(list),
    lastLiveMessage: live.last.bind(live),
    liveMessages: live.list.bind(live),
    ...runMethods(database, runs, read),
    urlGroup: urlGroups.read.bind(urlGroups),
    urlGroups: urlGroups.list.bind(urlGroups),
    schedule: schedules.read.bind(schedules),
    schedules: schedules.list.bind(schedules),
    dueSchedules: schedules.due.bind(schedules),
    laterSchedules: schedules.later.bind(schedules),
    nextScheduleAt: schedules.nextAt.bind(schedules),
    lineSetting: lineSettings.read.bind(lineSettings),
    areLinesSet: lineSettings.areSet.bind(lineSettings),
    line: lineSettings.report.bind(lineSettings),
    lines: lineSettings.list.bind(lineSettings),
    countQueues: lineSettings.countQueues.bind(lineSettings),
    lastPosition: lineSettings.lastPosition.bind(lineSettings),
    queued: lineSettings.queued.bind(lineSettings),
    underWay: read.underWay.bind(read),
    close: () => {
      database.close();
    },
  };
}

function runMethods(database: Database, runs: ReadRuns, read: SqliteRead) {
  const log = new RunLog(database);
  const dead = new DeadRuns(database, read);
  return {
    run: runs.run.bind(runs),
    runEntries: runs.runEntries.bind(runs),
    hasRunStep: runs.hasRunStep.bind(runs),
    activeRuns: runs.activeRuns.bind(runs),
    deadRun: dead.one.bind(dead),
    deadRuns: dead.list.bind(dead),
    runs: log.list.bind(log),
    runHistory: log.history.bind(log),
    waiters: runs.waiters.bind(runs),
    dueWaiters: runs.dueWaiters.bind(runs),
    nextDeadlineAt: runs.nextDeadlineAt.bind(runs),
  };
}
