import type { Tick, FiredTick } from "../../core/rules/schedule/schedules.ts";
import type { Instant } from "../../core/model/time.ts";
import { Problem } from "../../core/problem.ts";
import {
  BEFORE_FIRST_SCHEDULE,
  type ScheduleCursor,
  type StoredSchedule,
} from "../../store/reader/schedules.ts";
import { type Chore, pollMsOf, waitMsUntil } from "../chore.ts";
import type { EngineOptions } from "../engine-options.ts";
import type { Account } from "../../core/model/account/account.ts";
import type { Schedule } from "../../core/model/schedule/schedule.ts";
import type { UrlGroup } from "../../core/model/url-group/url-group.ts";
import {
  compose,
  requireStorable,
  groupNotFound,
  groupTarget,
  recipientsOf,
  type Target,
  urlTarget,
} from "../../core/rules/message/compose.ts";
import { newMessage } from "../../core/rules/message/compose-message.ts";
import { planTicks, type TickPlan } from "../../core/rules/schedule/ticks.ts";

const PAGE_COUNT = 500;
const PAGE_BYTES = 4 * 1024 * 1024;

/** Several nodes may try the same tick: only one stores its messages and the next instant. */
export class Ticker implements Chore {
  readonly failure = "schedules could not fire";
  readonly #options: EngineOptions;
  /** This node has changed schedules since the last poll. */
  #hasChanged = true;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** Called when this node has changed schedules, or the clock was set. */
  changed(): void {
    this.#hasChanged = true;
  }

  async runOnce(): Promise<number> {
    const { clock, store } = this.#options;
    const pollMs = pollMsOf(this.#options);
    const ageMsMax = this.#hasChanged ? 0 : pollMs;
    this.#hasChanged = false;
    const { tickAt } = await store.upcoming(ageMsMax);
    if (tickAt === null || tickAt > clock.now()) return waitMsUntil(tickAt, clock.now(), pollMs);
    await this.#fireAll();
    return waitMsUntil((await store.upcoming(0)).tickAt, clock.now(), pollMs);
  }

  async #fireAll(): Promise<void> {
    let due = await this.#due(BEFORE_FIRST_SCHEDULE);
    let writing: Promise<void> = Promise.resolve();
    // The next page is read and composed while the last one is written.
    while (due.length > 0) {
      const now = this.#options.clock.now();
      const maker = new TickMaker(this.#options, now);
      const ticks = await Promise.all(due.map((stored) => maker.make(stored)));
      await writing;
      writing = this.#write(ticks, now);
      // It is awaited below; until then its failure must not count as unhandled.
      writing.catch(() => undefined);
      due = await this.#due(cursorAt(due.at(-1)!));
    }
    await writing;
  }

  #due(after: ScheduleCursor): Promise<readonly StoredSchedule[]> {
    const { reader } = this.#options.store;
    return reader.schedules.due(this.#options.clock.now(), after, PAGE_COUNT, PAGE_BYTES);
  }

  /** A tick that cannot be written must not hold up the others. */
  async #write(ticks: readonly Tick[], at: Instant): Promise<void> {
    try {
      await this.#act(ticks, at);
    } catch (error) {
      if (error instanceof Problem) throw error;
      for (const tick of ticks) await this.#writeAlone(tick, at);
    }
  }

  async #writeAlone(tick: Tick, at: Instant): Promise<void> {
    const { accountId, scheduleId } = tick;
    try {
      await this.#act([tick], at);
    } catch (error) {
      if (error instanceof Problem) throw error;
      this.#options.log.error("a tick of a schedule could not be stored", {
        accountId,
        scheduleId,
        error,
      });
      await this.#act([{ ...tick, fired: { messages: [], error: NOT_STORED } }], at);
    }
  }

  async #act(ticks: readonly Tick[], at: Instant): Promise<void> {
    const { store, log, bell } = this.#options;
    const answers = await store.act({ rule: "tick", at, ticks });
    bell.ring();
    for (const [index, { accountId, scheduleId, fired }] of ticks.entries()) {
      if (answers[index] !== "fired" || fired === null) continue;
      const { skipped, error } = fired;
      if (skipped) log.warn("schedule skipped ticks", { accountId, scheduleId, ...skipped });
      if (error !== undefined) log.warn("schedule made nothing", { accountId, scheduleId, error });
    }
  }
}

function cursorAt({ schedule }: StoredSchedule): ScheduleCursor {
  return { ...schedule, nextAt: schedule.nextAt ?? 0 };
}

const NOT_STORED = "the messages could not be stored";

type TickTools = Pick<EngineOptions, "store" | "ids" | "account" | "readDestination" | "limits">;

/** Makes the ticks of schedules that are due at one instant, and caches what they share. */
class TickMaker {
  readonly #tools: TickTools;
  readonly #now: Instant;
  readonly #plans = new Map<string, TickPlan>();
  readonly #urlGroups = new Map<string, Promise<UrlGroup | null>>();

  constructor(tools: TickTools, now: Instant) {
    this.#tools = tools;
    this.#now = now;
  }

  async make(stored: StoredSchedule): Promise<Tick> {
    const { accountId, scheduleId, version, nextAt, cron, isPaused } = stored.schedule;
    const dueAt = nextAt ?? this.#now;
    const plan = this.#planOf(cron, dueAt);
    const known = this.#tools.account(accountId);
    const account = known instanceof Promise ? await known : known;
    const isSkipped = isPaused || account === null;
    return {
      accountId,
      scheduleId,
      version,
      dueAt,
      nextAt: plan.nextAt,
      fired: isSkipped ? null : await this.#fire(stored, account, plan),
    };
  }

  #planOf(cron: string, dueAt: Instant): TickPlan {
    const name = `${dueAt} ${cron}`;
    const known = this.#plans.get(name);
    if (known !== undefined) return known;
    const plan = planTicks(cron, dueAt, this.#now);
    this.#plans.set(name, plan);
    return plan;
  }

  async #fire(
    { schedule, body }: StoredSchedule,
    account: Account,
    { fireAt, skipped }: TickPlan,
  ): Promise<FiredTick> {
    const passedOver = skipped === null ? {} : { skipped };
    if (fireAt === null) return { messages: [], ...passedOver };
    const { options, queueName, callerIp, scheduleId } = schedule;
    try {
      const target = await this.#targetOf(schedule);
      requireStorable(target.endpoints.length, body, this.#tools.limits.storedBytesMax);
      const composed = compose({
        account,
        options,
        body,
        callerIp,
        at: this.#now,
        recipients: recipientsOf(target, () => this.#tools.ids.sortable("msg_", this.#now)),
        origin: { queueName, urlGroup: target.urlGroup, scheduleId },
      });
      const messages = composed.map(({ message, host }) => newMessage(message, host, body, null));
      return { messages, ...passedOver };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { messages: [], ...passedOver, error: error.message };
    }
  }

  async #targetOf({ accountId, destination }: Schedule): Promise<Target> {
    const { readDestination } = this.#tools;
    const found = urlTarget(destination, readDestination);
    if (!("problem" in found)) return found;
    const urlGroup = await this.#urlGroup(accountId, destination);
    if (urlGroup === null) throw groupNotFound(destination);
    return groupTarget(urlGroup, readDestination);
  }

  #urlGroup(accountId: string, name: string): Promise<UrlGroup | null> {
    const key = `${accountId} ${name}`;
    const known = this.#urlGroups.get(key);
    if (known !== undefined) return known;
    const asked = this.#tools.store.reader.urlGroups.get({ accountId, name });
    this.#urlGroups.set(key, asked);
    return asked;
  }
}
