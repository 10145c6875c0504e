import { type Duration, durationText } from "../duration.ts";
import { type OptionNames, requireKnown } from "../option-names.ts";
import { Page } from "../page.ts";
import { bulk, type Selection, selectionQuery, selectsNothing } from "../selection.ts";
import { settingHeaders, withoutAbsent } from "../settings.ts";
import { type Query, segment, type Transport } from "../transport.ts";
import { type BulkCount, countOf } from "./bulk-count.ts";
import { LIST_OPTIONS, type ListOptions } from "./filters.ts";
import type { DeletedCount } from "../answers/dead-letter.ts";
import type { DeadRun, FailedRunPage, RerunRun, Resumed } from "../answers/dead-run.ts";
import type { FailureFunctionState } from "../answers/words.ts";
import type { TriggerSettings } from "./trigger.ts";

type OneOrMany<Value> = Value | readonly Value[];

export interface DeadRunFilter {
  readonly workflowUrl?: OneOrMany<string> | undefined;
  readonly workflowRunId?: string | undefined;
  readonly workflowCreatedAt?: number | undefined;
  readonly host?: OneOrMany<string> | undefined;
  readonly label?: OneOrMany<string> | undefined;
  readonly failureFunctionState?: OneOrMany<FailureFunctionState> | undefined;
  readonly responseStatus?: OneOrMany<number> | undefined;
  /** The last error, whole. */
  readonly error?: string | undefined;
  /** A text in the last error, in any case. */
  readonly errorText?: string | undefined;
  /** A text in the URL, a label or the error, in any case. */
  readonly search?: string | undefined;
  readonly cause?: string | undefined;
  readonly callerIp?: OneOrMany<string> | undefined;
  readonly flowControlKey?: OneOrMany<string> | undefined;
  /** Inclusive, as a date or unix milliseconds. */
  readonly fromDate?: Date | number | undefined;
  readonly toDate?: Date | number | undefined;
}

/** Settings of the new run; absent ones stay unchanged. */
export type RunOverrides = Pick<
  TriggerSettings,
  "retries" | "retryDelay" | "delay" | "flowControl" | "label" | "failureUrl"
> & {
  /** The id of the new run, when one run is selected by its id. */
  readonly workflowRunId?: string | undefined;
  /** Spreads many evenly over this time. */
  readonly over?: Duration | undefined;
};

export const DEAD_RUN_FILTER: OptionNames<DeadRunFilter> = {
  workflowUrl: true,
  workflowRunId: true,
  workflowCreatedAt: true,
  host: true,
  label: true,
  failureFunctionState: true,
  responseStatus: true,
  error: true,
  errorText: true,
  search: true,
  cause: true,
  callerIp: true,
  flowControlKey: true,
  fromDate: true,
  toDate: true,
};
const RUN_OVERRIDES: OptionNames<RunOverrides> = {
  retries: true,
  retryDelay: true,
  delay: true,
  flowControl: true,
  label: true,
  failureUrl: true,
  workflowRunId: true,
  over: true,
};

/** Failed runs. */
export class DeadRuns {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async list(filter: DeadRunFilter & ListOptions = {}): Promise<Page<DeadRun>> {
    requireKnown("a filter", filter, { ...DEAD_RUN_FILTER, ...LIST_OPTIONS });
    const page = await this.#transport.json<FailedRunPage>({
      method: "GET",
      path: "/v2/workflows/dlq",
      query: filter as Query,
    });
    return new Page(page.messages, page.cursor, (cursor) => this.list({ ...filter, cursor }));
  }

  get(dlqId: string): Promise<DeadRun> {
    return this.#transport.json({ method: "GET", path: `/v2/workflows/dlq/${segment(dlqId)}` });
  }

  /** Continues from where the runs failed, with the results they have, as new runs. */
  resume(selection: Selection<DeadRunFilter>, overrides?: RunOverrides): Promise<Resumed> {
    return this.#again("resume", selection, overrides);
  }

  /** Starts from the beginning, with the same payload and settings, as new runs. */
  restart(selection: Selection<DeadRunFilter>, overrides?: RunOverrides): Promise<Resumed> {
    return this.#again("restart", selection, overrides);
  }

  /** Calls a failure function again that has failed itself. */
  retryFailureFunction(dlqId: string): Promise<RerunRun> {
    const path = `/v2/workflows/dlq/callback/${segment(dlqId)}`;
    return this.#transport.json({ method: "POST", path });
  }

  /** Stops the retries of a failure function. */
  async cancelFailureFunction(dlqId: string): Promise<void> {
    const path = `/v2/workflows/dlq/callback/${segment(dlqId)}`;
    await this.#transport.send({ method: "DELETE", path });
  }

  async delete(selection: Selection<DeadRunFilter>): Promise<DeletedCount> {
    if (selectsNothing(selection)) return { deleted: 0 };
    if (typeof selection === "string") {
      const path = `/v2/workflows/dlq/${segment(selection)}`;
      await this.#transport.send({ method: "DELETE", path });
      return { deleted: 1 };
    }
    const query = selectionQuery(selection, "dlqIds", DEAD_RUN_FILTER);
    return this.#transport.json({ method: "DELETE", path: "/v2/workflows/dlq", ...bulk(query) });
  }

  /** How many of them there are; nothing is changed. */
  count(selection: Selection<DeadRunFilter>): Promise<BulkCount> {
    return countOf(
      this.#transport,
      { method: "DELETE", path: "/v2/workflows/dlq", idsName: "dlqIds", filter: DEAD_RUN_FILTER },
      selection,
    );
  }

  async #again(
    verb: "resume" | "restart",
    selection: Selection<DeadRunFilter>,
    overrides: RunOverrides = {},
  ): Promise<Resumed> {
    requireKnown(`a ${verb}`, overrides, RUN_OVERRIDES);
    const { failureUrl, workflowRunId, over, ...settings } = overrides;
    if (selectsNothing(selection)) return { workflowRuns: [] };
    const headers = withoutAbsent({
      ...settingHeaders({ ...settings, failureCallback: failureUrl }),
      "Svc-Workflow-RunId": workflowRunId,
    });
    if (typeof selection === "string") {
      const path = `/v2/workflows/dlq/${verb}/${segment(selection)}`;
      return { workflowRuns: [await this.#transport.json({ method: "POST", path, headers })] };
    }
    const query = {
      ...selectionQuery(selection, "dlqIds", DEAD_RUN_FILTER),
      over: durationText(over),
    };
    const path = `/v2/workflows/dlq/${verb}`;
    return this.#transport.json({ method: "POST", path, ...bulk(query), headers });
  }
}
