import type { FiredTick, Tick } from "../../core/rules/schedule/schedules.ts";
import type { Account } from "../../core/model/account/account.ts";
import type { Instant } from "../../core/model/time.ts";
import type { Schedule } from "../../core/model/schedule/schedule.ts";
import type { UrlGroup } from "../../core/model/url-group/url-group.ts";
import { Problem } from "../../core/problem.ts";
import { compose, requireStorable } from "../../core/rules/message/compose.ts";
import { newMessage } from "../../core/rules/message/compose-message.ts";
import {
  groupNotFound,
  groupTarget,
  recipientsOf,
  type Target,
  urlTarget,
} from "../../core/rules/message/target.ts";
import { planTicks, type TickPlan } from "../../core/rules/schedule/ticks.ts";
import type { StoredSchedule } from "../../store/reader/schedules.ts";
import type { EngineOptions } from "../engine-options.ts";

type TickTools = Pick<EngineOptions, "store" | "ids" | "account" | "readDestination" | "limits">;

/** Makes the ticks of schedules that are due at one instant, and caches what they share. */
export class TickMaker {
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
