/** A run on its screen: itself, its events and the runs that it started, read again when something of it happens. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import type { Run } from "../../sdk/src/answers/workflow.ts";
import { dashboardModule, pass, UsedHook } from "../support/dashboard-modules.ts";
import { StubStream } from "../support/stub-stream.ts";

interface Found {
  readonly value: {
    readonly facts: {
      readonly run: Run;
      readonly events: readonly object[];
      readonly children: ReadonlyMap<string, { readonly run: Run; readonly steps: unknown }>;
    } | null;
  } | null;
}

const { useRun } = await dashboardModule<{ useRun: (id: string, at: string | null) => Found }>(
  "workflow/run-resource.ts",
);
const { curlOf, triggerCommand } = await dashboardModule<{
  curlOf: (origin: string, token: string, command: object) => string;
  triggerCommand: (run: Run) => {
    readonly path: string;
    readonly headers: readonly (readonly string[])[];
    readonly body: string;
  };
}>("workflow/run-commands.ts");

const STARTED: Run = {
  workflowRunId: "wfr_1",
  workflowUrl: "https://example.com/workflow",
  workflowState: "RUN_STARTED",
  workflowRunCreatedAt: 5,
  workflowRunCallerIp: "127.0.0.1",
  steps: [],
};

let asked: URL[] = [];
let answer: (url: URL) => object;
let used: UsedHook<[string, string | null], Found>;
let time = 0;

describe("a run on its screen", () => {
  beforeEach(() => {
    StubStream.opened.length = 0;
    asked = [];
    answer = ({ searchParams }) =>
      searchParams.has("groupBy") ? { runs: [STARTED] } : { events: [event("own")] };
    mock.timers.enable({ apis: ["setTimeout"] });
    mock.method(globalThis, "fetch", async (path: string) => {
      const url = new URL(path, "http://postrider");
      asked.push(url);
      return Response.json(answer(url));
    });
  });
  afterEach(async () => {
    await used.leave();
    await pass(2_000);
    mock.restoreAll();
    mock.timers.reset();
  });

  test("the newest of an id, or the one of an instant, with every page of its events", async () => {
    answer = ({ searchParams }) => {
      if (searchParams.has("groupBy")) return { runs: [STARTED] };
      const at = Number(searchParams.get("cursor") ?? 0);
      return { events: [event(`e${at}`)], ...(at < 2 ? { cursor: String(at + 1) } : {}) };
    };
    await open("wfr_1", null);
    assert.equal(asked[0]!.searchParams.get("workflowRunId"), "wfr_1");
    assert.equal(used.value.value!.facts!.events.length, 3);
    assert.equal(asked[1]!.searchParams.get("workflowRuns"), "wfr_1@5");
    asked = [];
    used.draw("wfr_1", "5");
    await pass(0);
    assert.equal(asked[0]!.searchParams.get("workflowRunId"), null);
    assert.equal(asked[0]!.searchParams.get("workflowRuns"), "wfr_1@5");
  });

  test("an id that no run has is found to have none, with one question", async () => {
    answer = () => ({ runs: [] });
    await open("wfr_none", null);
    assert.deepEqual([used.value.value, asked.length], [{ facts: null }, 1]);
  });

  test("the runs that it started are asked for by their id and instant, once both are known", async () => {
    const child = { ...STARTED, workflowRunId: "wfr_child", workflowRunCreatedAt: 8 };
    answer = ({ pathname, searchParams }) => {
      if (searchParams.has("groupBy")) {
        const steps = [invoke("wfr_child", 8), invoke("wfr_later", undefined)];
        return { runs: [{ ...STARTED, steps: [{ type: "parallel", steps }] }] };
      }
      if (pathname === "/v2/workflows/logs") return { runs: [child] };
      return { events: [event("own"), event("other", 7), event("same id", 8)] };
    };
    await open("wfr_1", null);
    const { children } = used.value.value!.facts!;
    assert.deepEqual([...children.keys()], ["wfr_child"]);
    const logs = asked.filter(({ pathname }) => pathname === "/v2/workflows/logs");
    assert.deepEqual(
      logs.map(({ searchParams }) => searchParams.get("workflowRuns")),
      ["wfr_child@8"],
    );
  });

  test("it is read again soon after an entry of its own, and not after one of another", async () => {
    await open("wfr_1", null);
    asked = [];
    await push({ messageId: "foreign", url: "https://example.com/other" });
    await pass(1_000);
    assert.equal(asked.length, 0);
    await push({ messageId: "own", url: "https://example.com/other" });
    await pass(700);
    assert.equal(asked.length, 2);
    await push({ messageId: "new", url: STARTED.workflowUrl });
    await pass(700);
    assert.equal(asked.length, 4);
  });
});

test("a run is started again by its own payload and labels, and hidden ones are left out", () => {
  const payload = { stepType: "Initial", headers: { "content-type": ["text/plain"] }, out: "it's" };
  const run = runOf(payload, ["a", "b"]);
  const command = triggerCommand(run);
  assert.deepEqual(command.headers, [
    ["Content-Type", "text/plain"],
    ["Svc-Label", "a,b"],
  ]);
  assert.equal(
    curlOf("http://h", "$TOKEN", command),
    [
      "curl -X POST 'http://h/v2/trigger/https://example.com/workflow'",
      '  -H "Authorization: Bearer $TOKEN"',
      "  -H 'Content-Type: text/plain'",
      "  -H 'Svc-Label: a,b'",
      "  -d 'it'\\''s'",
    ].join(" \\\n"),
  );
  const hidden = triggerCommand(runOf({ ...payload, out: "REDACTED:abc" }, []));
  assert.deepEqual([hidden.body, hidden.headers.length], ["", 1]);
  assert.ok(!curlOf("http://h", "token", hidden).includes("-d"));
});

function runOf(payload: object, labels: readonly string[]): Run {
  return { ...STARTED, labels, steps: [{ type: "sequential", steps: [payload] }] } as Run;
}

function invoke(id: string, at: number | undefined): object {
  return {
    stepName: "child",
    stepType: "Invoke",
    invokedWorkflowRunId: id,
    ...(at === undefined ? {} : { invokedWorkflowCreatedAt: at }),
  };
}

function event(messageId: string, workflowCreatedAt = 5): object {
  const workflowRunId = workflowCreatedAt === 5 ? "wfr_1" : "wfr_child";
  return { time: 6, state: "CREATED", messageId, workflowRunId, workflowCreatedAt };
}

async function open(id: string, at: string | null): Promise<void> {
  used = new UsedHook(useRun, id, at);
  await pass(0);
  await pass(0);
}

async function push(entry: object): Promise<void> {
  StubStream.opened[0]!.push({ time: (time += 1), state: "CREATED", ...entry });
  await pass(250);
}
