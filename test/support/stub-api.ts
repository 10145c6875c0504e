/** The requests that an SDK makes while a run is under way, answered by the stub of the service. */
import type { StubStep, StubRun, Submitted } from "./stub-run.ts";
import { base64, type StubService } from "./stub-service.ts";

export interface StubCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

export interface StubAnswer {
  readonly status: number;
  readonly body?: unknown;
}

export function answerTo(stub: StubService, call: StubCall): StubAnswer {
  const [path = "", query = ""] = call.path.split("?");
  const [, , verb, ...rest] = path.split("/").map(decodeURIComponent);
  const last = rest.at(-1) ?? "";
  switch (`${call.method} ${verb}`) {
    case "POST trigger":
      return { status: 200, body: trigger(stub, last, call) };
    case "POST batch":
      if (call.body.length > (stub.options.stepBytesMax ?? Infinity)) return TOO_LARGE;
      return batch(stub, JSON.parse(call.body) as Submitted[]);
    case "POST publish":
      return publish(stub, { destination: last, headers: named(call.headers), body: call.body });
    case "POST wait":
      return wait(stub, last, call);
    case "POST notify":
      return { status: 200, body: notify(stub, rest, call.body) };
    case "DELETE workflows":
      return end(stub, last, query, call.body);
    case "GET workflows": {
      const run = stub.runs.get(last);
      return run?.state === "started" ? { status: 200, body: run.entries } : { status: 404 };
    }
    default:
      return { status: 404, body: { error: `no ${call.method} ${call.path}` } };
  }
}

function trigger(stub: StubService, url: string, call: StubCall): unknown {
  const run = stub.trigger(url, call.body, named(call.headers));
  return { workflowRunId: run.runId, workflowCreatedAt: run.createdAt };
}

function batch(stub: StubService, items: readonly Submitted[]): StubAnswer {
  const answers = items.map((item) => publish(stub, item));
  const bodies = answers.map(({ body }) => body);
  return { status: answers.every(({ status }) => status === 400) ? 400 : 200, body: bodies };
}

function publish(stub: StubService, item: Submitted): StubAnswer {
  if (item.headers["Svc-Workflow-Init"] === "true") return invoke(stub, item);
  const run = stub.runs.get(item.headers["Svc-Workflow-RunId"] ?? "");
  if (run?.state !== "started") return ENDED;
  if (item.headers["Svc-Workflow-CallType"] === "toCallback") {
    const stepId = item.headers["Svc-Callback-Forward-Svc-Workflow-StepId"];
    return openOnce(run, `o:${stepId}`, (messageId) => {
      stub.send({ kind: "call", run, ordinal: 0, messageId, item, dueAt: stub.now });
    });
  }
  const step = JSON.parse(item.body ?? "") as StubStep;
  const key = step.stepId === 0 ? `p:${step.targetStep}` : `r:${step.stepId}`;
  return { status: 200, body: { messageId: stub.append(run, item, key) } };
}

function invoke(stub: StubService, item: Submitted): StubAnswer {
  const envelope = JSON.parse(item.body ?? "") as {
    body?: string;
    workflowRunId: string;
    step: StubStep;
  };
  const parent = stub.runs.get(envelope.workflowRunId);
  if (parent?.state !== "started") return ENDED;
  return openOnce(parent, `o:${envelope.step.stepId}`, () => {
    const child = stub.trigger(item.destination, envelope.body, item.headers);
    child.invoker = { run: parent, step: envelope.step };
  });
}

function wait(stub: StubService, eventId: string, call: StubCall): StubAnswer {
  const run = stub.runs.get(call.headers.get("Svc-Workflow-RunId") ?? "");
  if (run?.state !== "started") return ENDED;
  const { step, timeout } = JSON.parse(call.body) as { step: StubStep; timeout: string };
  return openOnce(run, `o:${step.stepId}`, () => {
    const stored = run.events.get(eventId)?.shift();
    const deadline = stub.dueAt({ "Svc-Delay": timeout });
    if (stored === undefined) run.waits.push({ run, eventId, step, deadline });
    else wake(stub, run, { step, eventId, data: stored });
  });
}

function notify(stub: StubService, names: readonly string[], data: string): unknown[] {
  const eventId = names.at(-1) ?? "";
  const runs = names.length === 1 ? [...stub.runs.values()] : [stub.runs.get(names[0]!)!];
  const waits = runs.flatMap((run) => run.waits.filter((one) => one.eventId === eventId));
  if (waits.length === 0 && names.length > 1) {
    const events = runs[0]!.events;
    events.set(eventId, [...(events.get(eventId) ?? []), data]);
  }
  for (const { run, step } of waits) {
    run.waits = run.waits.filter((one) => !waits.includes(one));
    wake(stub, run, { step, eventId, data });
  }
  return waits.map(({ run }) => ({ workflowRunId: run.runId, messageId: "msg", waiter: {} }));
}

function wake(
  stub: StubService,
  run: StubRun,
  { step, eventId, data }: { step: StubStep; eventId: string; data: string },
): void {
  const record = { ...step, waitEventId: eventId, out: base64(data) };
  const item = { destination: run.url, headers: {}, body: JSON.stringify(record) };
  stub.append(run, item, `r:${step.stepId}`);
}

function end(stub: StubService, runId: string, query: string, body: string): StubAnswer {
  const given = new URLSearchParams(query).get("workflowRunIds");
  const run = stub.runs.get(given ?? runId);
  if (body.length > (stub.options.resultBytesMax ?? Infinity)) return TOO_LARGE;
  const state = query === "cancel=false" ? "success" : "canceled";
  if (run !== undefined) stub.end(run, state, body);
  return { status: 200, body: { cancelled: 1 } };
}

function openOnce(run: StubRun, key: string, open: (messageId: string) => void): StubAnswer {
  const known = run.keys.get(key);
  if (known !== undefined) return { status: 200, body: { messageId: known, deduplicated: true } };
  const messageId = `msg_${run.runId}_${key}`;
  run.keys.set(key, messageId);
  open(messageId);
  return { status: 200, body: { messageId } };
}

/** Names of headers in the spelling of the SDK, which a request loses. */
function named(headers: Headers): Record<string, string> {
  const spelt = Array.from(headers, ([name, value]) => [spelled(name), value]);
  return Object.fromEntries(spelt) as Record<string, string>;
}

function spelled(name: string): string {
  const words = name.split("-").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return words.join("-").replace("Runid", "RunId").replace("Calltype", "CallType");
}

const TOO_LARGE = { status: 413, body: { error: "body: is too large" } };

const ENDED = {
  status: 400,
  body: { error: "failed to publish to url: can not append to a a cancelled workflow" },
} as const;
