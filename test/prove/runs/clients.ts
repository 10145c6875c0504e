import { Client as PublicClient } from "@upstash/workflow";
import { ApiError, Client } from "../../../sdk/src/sdk.ts";
import { TOKEN } from "../service-process.ts";
import { eventName, type RunPlan } from "./plan.ts";
import { pickOne } from "./witness.ts";

/** What is known of something that was asked for: some answers are lost with the node. */
export type Known = "yes" | "no" | "unknown";

/** How one node is reached: with our client, and with the public one. */
interface NodeClients {
  readonly url: string;
  readonly own: Client;
  readonly open: PublicClient;
}

/**
 * Those who trigger runs, send events and cancel. Each request goes to any node, and is made again
 * for as long as there is no answer.
 */
export class RunClients {
  readonly #nodes: readonly NodeClients[];
  readonly #endpointUrl: string;

  constructor(nodeUrls: readonly string[], endpointUrl: string) {
    this.#nodes = nodeUrls.map((url) => ({
      url,
      own: new Client({ baseUrl: url, token: TOKEN, retry: false }),
      open: new PublicClient({ baseUrl: url, token: TOKEN, retry: false }),
    }));
    this.#endpointUrl = endpointUrl;
  }

  /** The name is used once: when an answer is lost, the run is looked for before it is tried again. */
  async trigger(plan: RunPlan): Promise<void> {
    for (;;) {
      try {
        const node = pickOne(this.#nodes);
        // The public client prints a line for every node that it finds gone.
        await fetch(`${node.url}/readyz`);
        await this.#triggerAt(node, plan);
        return;
      } catch (error) {
        refuseRefusal(error);
      }
      await pause(100);
      if (await this.#exists(plan)) return;
    }
  }

  async #triggerAt({ own, open }: NodeClients, plan: RunPlan): Promise<void> {
    const { runId, sdk, key, reportTo, ending } = plan;
    const isShort = ending === "throws";
    const settings = {
      url: `${this.#endpointUrl}/${sdk}/parent`,
      body: plan,
      retries: isShort ? 1 : 30,
      retryDelay: isShort ? "100" : "300",
      ...(key === null ? {} : { flowControl: { key: key.key, parallelism: key.parallelism! } }),
      ...(reportTo === "url" ? { failureUrl: `${this.#endpointUrl}/reported/${runId}` } : {}),
    };
    // The public client puts its prefix in front of every name.
    await (sdk === "own"
      ? own.workflow.trigger({ ...settings, workflowRunId: runId })
      : open.trigger({ ...settings, workflowRunId: runId.slice("wfr_".length) }));
  }

  async #exists({ runId }: RunPlan): Promise<boolean> {
    const run = await this.#answered(({ own }) => own.workflow.get(runId));
    return run !== undefined;
  }

  /** Tells a run of its event, once it is there or before. */
  async notifyRun({ runId }: RunPlan, name: string, value: number): Promise<void> {
    const eventId = eventName({ runId }, name);
    await this.#answered(({ own }) =>
      own.workflow.notify(eventId, value, { workflowRunId: runId }).catch(allowAbsent),
    );
  }

  /** Whether an event has reached a waiter. */
  async notifyAll(plan: RunPlan, name: string, value: number): Promise<Known> {
    try {
      const told = await pickOne(this.#nodes).own.workflow.notify(eventName(plan, name), value);
      return told.length > 0 ? "yes" : "no";
    } catch (error) {
      refuseRefusal(error);
      return "unknown";
    }
  }

  /** When the wait is over, if there is a waiter. */
  async deadlineAt(plan: RunPlan, name: string): Promise<number | null> {
    const waiters = await this.#answered(({ own }) => own.workflow.waiters(eventName(plan, name)));
    return waiters.length === 0 ? null : waiters[0]!.deadline * 1_000;
  }

  /** Whether the run was canceled by this; unknown, when an answer was lost before it was gone. */
  async cancel({ runId }: RunPlan): Promise<Known> {
    for (let isLost = false; ; isLost = true) {
      try {
        await pickOne(this.#nodes).own.workflow.cancel(runId);
        return "yes";
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return isLost ? "unknown" : "no";
        refuseRefusal(error);
      }
      await pause(100);
    }
  }

  /** Asks one node after the other until one answers. */
  async #answered<Answer>(ask: (node: NodeClients) => Promise<Answer>): Promise<Answer> {
    for (;;) {
      try {
        return await ask(pickOne(this.#nodes));
      } catch (error) {
        refuseRefusal(error);
      }
      await pause(100);
    }
  }
}

/** A node that is gone or busy is a reason to ask again; that it says no is not. */
function refuseRefusal(error: unknown): void {
  const { status } = error as { status?: number };
  if (status !== undefined && status > 0 && status < 500) throw error;
}

/** A run that has ended is told nothing. */
function allowAbsent(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, ms));
  });
}
