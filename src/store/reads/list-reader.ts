import type { DeadLetterFilter } from "../../core/model/message/dead-letter-filter.ts";
import type { DeadRun, DeadRunFilter } from "../../core/model/workflow/dead-run.ts";
import type { LogFilter } from "../../core/model/message/log-filter.ts";
import type { RunFilter } from "../../core/model/workflow/run-filter.ts";
import type { RunLogFilter } from "../../core/model/workflow/run-log-filter.ts";
import type { RunState } from "../../core/model/workflow/run.ts";
import { ListTurns } from "./list-turns.ts";
import type {
  LoggedMessage,
  Reader,
  Slice,
  SliceRequest,
  StoredDeadLetter,
  StoredRun,
} from "../reader.ts";
import { readPage } from "./slices.ts";

type Slices<Filter, Item> = (
  accountId: string,
  filter: Filter,
  slice: SliceRequest,
) => Promise<Slice<Item>>;

/** What a driver implements: long lists in slices, everything else as in Reader. */
export interface DriverReader extends Omit<
  Reader,
  "log" | "deadLetters" | "deadRuns" | "runs" | "activeRuns"
> {
  readonly log: Slices<LogFilter, LoggedMessage>;
  readonly deadLetters: Slices<DeadLetterFilter, StoredDeadLetter>;
  readonly deadRuns: Slices<DeadRunFilter, DeadRun>;
  readonly runs: Slices<RunLogFilter, StoredRun>;
  readonly activeRuns: Slices<RunFilter, RunState>;
}

/**
 * Methods that list or count. A driver runs them apart from the others, so that authentication and
 * deliveries never wait for a list.
 */
export const LIST_METHODS: ReadonlySet<keyof Reader> = new Set<keyof Reader>([
  "log",
  "deadLetters",
  "deadRuns",
  "runs",
  "activeRuns",
  "runHistory",
  "lastLiveMessage",
  "liveMessages",
  "urlGroups",
  "schedules",
  "line",
  "lines",
  "queued",
  "accounts",
  "accountLines",
  "oldest",
  "olderDeadLetter",
  "counts",
]);

/** A reader over a driver whose lists take turns between accounts. */
export function listReader(driver: DriverReader, readsMax: number): Reader {
  const turns = new ListTurns(readsMax);
  const paged =
    <Filter, Item>(slices: Slices<Filter, Item>) =>
    (accountId: string, filter: Filter, page: Parameters<Reader["log"]>[2]) =>
      readPage(page, (slice) => turns.take(accountId, () => slices(accountId, filter, slice)));
  const ofAccount =
    <Asked extends unknown[], Answer>(
      read: (accountId: string, ...asked: Asked) => Promise<Answer>,
    ) =>
    (accountId: string, ...asked: Asked) =>
      turns.take(accountId, () => read(accountId, ...asked));
  const ofOwner =
    <Owned extends { readonly accountId: string }, Asked extends unknown[], Answer>(
      read: (owned: Owned, ...asked: Asked) => Promise<Answer>,
    ) =>
    (owned: Owned, ...asked: Asked) =>
      turns.take(owned.accountId, () => read(owned, ...asked));
  const activeRuns = paged(driver.activeRuns);
  return {
    ...driver,
    log: paged(driver.log),
    deadLetters: paged(driver.deadLetters),
    deadRuns: paged(driver.deadRuns),
    runs: paged(driver.runs),
    activeRuns: (accountId, filter, after, count) =>
      activeRuns(accountId, filter, { after, count, order: "earliestFirst" }),
    runHistory: ofOwner(driver.runHistory),
    lastLiveMessage: ofAccount(driver.lastLiveMessage),
    liveMessages: ofAccount(driver.liveMessages),
    urlGroups: ofAccount(driver.urlGroups),
    schedules: ofAccount(driver.schedules),
    line: ofOwner(driver.line),
    lines: ofAccount(driver.lines),
    queued: ofOwner(driver.queued),
    accountLines: ofAccount(driver.accountLines),
  };
}
