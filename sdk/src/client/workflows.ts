import { type OptionNames, requireKnown } from "../option-names.ts";
import { Page } from "../page.ts";
import { bulk, type Selection, selectionQuery, selectsNothing } from "../selection.ts";
import { type Query, segment, type Transport } from "../transport.ts";
import type { HeadersInput } from "../web-types.ts";
import { type BulkCount, countOf } from "./bulk-count.ts";
import { DeadRuns } from "./dead-runs.ts";
import { LIST_OPTIONS, type ListOptions } from "./filters.ts";
import { notify } from "./notify.ts";
import { poll, type WaitForEnd } from "./poll.ts";
import type { Notified, Waiter } from "../answers/waiter.ts";
import type { RunState, StepState } from "../answers/words.ts";
import type { CancelledRuns, Run, RunPage, Triggered } from "../answers/workflow.ts";
import { withoutDuplicate } from "./once.ts";
import { onceTriggered, type Trigger, triggerRequest, type TriggerRequest } from "./trigger.ts";

export interface RunFilter {
  /** Runs whose URL begins with this, or with one of these. */
  readonly workflowUrl?: string | readonly string[] | undefined;
  readonly workflowUrlExactMatch?: boolean | undefined;
  /** A text in the URL or a label, in any case. */
  readonly search?: string | undefined;
  readonly label?: string | readonly string[] | undefined;
  readonly flowControlKey?: string | readonly string[] | undefined;
  readonly callerIp?: string | undefined;
  /** Inclusive, as a date or unix milliseconds. */
  readonly fromDate?: Date | number | undefined;
  readonly toDate?: Date | number | undefined;
}

export interface RunLogFilter extends Omit<RunFilter, "workflowUrlExactMatch"> {
  readonly messageId?: string | readonly string[] | undefined;
  readonly workflowRunId?: string | undefined;
  readonly workflowCreatedAt?: number | undefined;
  readonly state?: RunState | StepState | undefined;
  /** Only runs that do nothing but sleep, or wait for an event. */
  readonly waitingFor?: "sleep" | "event" | undefined;
  /** Bytes of each body to show; -1 for none. */
  readonly trimBody?: number | undefined;
}

export const RUN_FILTER: OptionNames<RunFilter> = {
  workflowUrl: true,
  workflowUrlExactMatch: true,
  search: true,
  label: true,
  flowControlKey: true,
  callerIp: true,
  fromDate: true,
  toDate: true,
};
const { workflowUrlExactMatch: _, ...LOGGED_RUN_FILTER } = RUN_FILTER;
export const RUN_LOG_FILTER: OptionNames<RunLogFilter & ListOptions> = {
  ...LOGGED_RUN_FILTER,
  ...LIST_OPTIONS,
  messageId: true,
  workflowRunId: true,
  workflowCreatedAt: true,
  state: true,
  waitingFor: true,
  trimBody: true,
};

/** Runs of workflows. */
export class Workflows {
  readonly dlq: DeadRuns;
  readonly #transport: Transport;
  readonly #headers: HeadersInput | undefined;

  constructor(transport: Transport, headers: HeadersInput | undefined) {
    this.#transport = transport;
    this.#headers = headers;
    this.dlq = new DeadRuns(transport);
  }

  /** Starts a run, or several with one request. */
  trigger(trigger: Trigger): Promise<Triggered>;
  trigger(triggers: readonly Trigger[]): Promise<Triggered[]>;
  async trigger(given: Trigger | readonly Trigger[]): Promise<Triggered | Triggered[]> {
    if (isList(given)) return this.#triggerMany(given);
    const request = this.#request(given);
    const path = `/v2/trigger/${segment(given.url)}`;
    return shown(given, await this.#transport.json({ method: "POST", path, ...request }));
  }

  /** Cancels one run, some, those that match, or all that have not ended; returns how many. */
  async cancel(selection: Selection<RunFilter>): Promise<CancelledRuns> {
    if (selectsNothing(selection)) return { cancelled: 0 };
    if (typeof selection === "string") {
      await this.#transport.send({
        method: "DELETE",
        path: `/v2/workflows/runs/${segment(selection)}`,
      });
      return { cancelled: 1 };
    }
    const query = selectionQuery(selection, "workflowRunIds", RUN_FILTER);
    return this.#transport.json({ method: "DELETE", path: "/v2/workflows/runs", ...bulk(query) });
  }

  /** How many `cancel` would reach; nothing is changed. */
  count(selection: Selection<RunFilter>): Promise<BulkCount> {
    return countOf(
      this.#transport,
      {
        method: "DELETE",
        path: "/v2/workflows/runs",
        idsName: "workflowRunIds",
        filter: RUN_FILTER,
      },
      selection,
    );
  }

  /** The newest run with an id; undefined if there is none. */
  async get(workflowRunId: string): Promise<Run | undefined> {
    const { items } = await this.logs({ workflowRunId, count: 1 });
    return items[0];
  }

  /** Runs with their steps, newest first. */
  async logs(filter: RunLogFilter & ListOptions = {}): Promise<Page<Run>> {
    requireKnown("a filter", filter, RUN_LOG_FILTER);
    const page = await this.#transport.json<RunPage>({
      method: "GET",
      path: "/v2/workflows/events",
      query: { groupBy: "workflowRunId", ...(filter as Query) },
    });
    return new Page(page.runs, page.cursor, (cursor) => this.logs({ ...filter, cursor }));
  }

  /** Polls until the run has ended. */
  wait(workflowRunId: string, options: WaitForEnd = {}): Promise<Run> {
    return poll(workflowRunId, options, async () => {
      const run = await this.get(workflowRunId);
      return run?.workflowState === "RUN_STARTED" ? undefined : run;
    });
  }

  /**
   * Notifies the runs that wait for an event; with a run, only that one, now or when it waits. The
   * request is sent once, since a second one could end the next wait for the same event.
   */
  async notify(
    eventId: string,
    eventData?: unknown,
    options: { readonly workflowRunId?: string } = {},
  ): Promise<Notified[]> {
    requireKnown("notify", options, { workflowRunId: true });
    return notify(this.#transport, { eventId, eventData, ...options }, true);
  }

  /** The runs that wait for an event. */
  waiters(eventId: string): Promise<Waiter[]> {
    return this.#transport.json({ method: "GET", path: `/v2/waiters/${segment(eventId)}` });
  }

  async #triggerMany(triggers: readonly Trigger[]): Promise<Triggered[]> {
    const items = triggers.map((trigger) => {
      const { headers, body } = this.#request(trigger);
      return { destination: trigger.url, headers: this.#transport.named(headers), body };
    });
    const answers = await this.#transport.json<Triggered[]>({
      method: "POST",
      path: "/v2/batch/trigger",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(items),
    });
    return answers.map((answer, index) => shown(triggers[index], answer));
  }

  #request(trigger: Trigger): TriggerRequest {
    const request = triggerRequest(trigger, this.#headers);
    return this.#transport.deduplicates ? onceTriggered(request) : request;
  }
}

/** Only a run id of the caller's own can be taken by another trigger. */
function shown(trigger: Trigger | undefined, answer: Triggered): Triggered {
  return trigger?.workflowRunId === undefined ? withoutDuplicate(answer) : answer;
}

function isList(given: Trigger | readonly Trigger[]): given is readonly Trigger[] {
  return Array.isArray(given);
}
