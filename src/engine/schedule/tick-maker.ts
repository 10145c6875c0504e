import type { FiredTick, Tick } from "../../core/acts/schedule.ts";
import type { Account } from "../../core/model/account/account.ts";
import type { Instant } from "../../core/model/message/message.ts";
import type { Schedule } from "../../core/model/schedule/schedule.ts";
import type { UrlGroup } from "../../core/model/url-group/url-group.ts";
import { Problem } from "../../core/problem.ts";
import { compose, type Recipient, requireStorable } from "../../core/rules/message/compose.ts";
import { newMessage } from "../../core/rules/message/compose-message.ts";
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
      const { recipients, urlGroup } = await this.#recipientsOf(schedule);
      requireStorable(recipients.length, body, this.#tools.limits.storedBytesMax);
      const composed = compose({
        account,
        options,
        body,
        callerIp,
        at: this.#now,
        recipients,
        origin: { queueName, urlGroup, scheduleId },
      });
      const messages = composed.map(({ message, host }) => newMessage(message, host, body, null));
      return { messages, ...passedOver };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { messages: [], ...passedOver, error: error.message };
    }
  }

  async #recipientsOf({
    accountId,
    destination,
  }: Schedule): Promise<{ recipients: Recipient[]; urlGroup?: string }> {
    if (URL_LIKE.test(destination)) return { recipients: [this.#recipient(destination)] };
    const urlGroup = await this.#urlGroup(accountId, destination);
    if (urlGroup === null) throw new Problem("not-found", `topic ${destination} not found`);
    const recipients = urlGroup.endpoints.map(({ url, name }) => this.#recipient(url, name));
    return { recipients, urlGroup: urlGroup.name };
  }

  #urlGroup(accountId: string, name: string): Promise<UrlGroup | null> {
    const key = `${accountId} ${name}`;
    const known = this.#urlGroups.get(key);
    if (known !== undefined) return known;
    const asked = this.#tools.store.reader.urlGroups.get({ accountId, name });
    this.#urlGroups.set(key, asked);
    return asked;
  }

  #recipient(url: string, endpointName?: string): Recipient {
    const destination = this.#tools.readDestination(url);
    if (destination.problem !== null) throw new Problem("invalid-request", destination.problem);
    const messageId = this.#tools.ids.sortable("msg_", this.#now);
    return { url, host: destination.host, endpointName, messageId };
  }
}

const URL_LIKE = /^https?:/i;
