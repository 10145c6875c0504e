/** The runs while they are watched: rows change in place, new runs enter on top or wait. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import type { Run } from "../../sdk/src/answers/workflow.ts";
import type { RunFilter } from "../../dashboard/src/workflow/run-filter.ts";
import { dashboardModule, pass, UsedHook } from "../support/dashboard-modules.ts";
import { StubStream } from "../support/stub-stream.ts";

interface RunList {
  readonly rows: readonly Run[];
  readonly pendingCount: number;
  readonly freshKeys: ReadonlySet<string>;
  readonly hasMore: boolean;
  readonly loadMore: () => void;
  readonly showPending: () => void;
}

const { useRunList } = await dashboardModule<{
  useRunList: (filter: RunFilter, isLive: boolean, canEnter: () => boolean) => RunList;
}>("workflow/run-list.ts");

const ALL: RunFilter = {
  state: null,
  q: null,
  workflow: null,
  run: null,
  label: null,
  key: null,
  caller: null,
  time: null,
};

/** The runs that the server has, the newest first. */
let runs: Run[] = [];
let asked: URLSearchParams[] = [];
let canEnter = true;
let used: UsedHook<[RunFilter, boolean, () => boolean], RunList>;
let tests = 0;

describe("the runs while they are watched", () => {
  beforeEach(() => {
    StubStream.opened.length = 0;
    asked = [];
    canEnter = true;
    mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 });
    mock.method(globalThis, "fetch", async (path: string) => answer(path));
  });
  afterEach(async () => {
    await used.leave();
    await pass(2_000);
    mock.restoreAll();
    mock.timers.reset();
  });

  test("a page is fifty runs, and the next begins where it ended", async () => {
    runs = Array.from({ length: 120 }, (_, index) => run(120 - index));
    await watch(false);
    assert.deepEqual([used.value.rows.length, used.value.hasMore], [50, true]);
    used.value.loadMore();
    await pass(0);
    used.value.loadMore();
    await pass(0);
    assert.deepEqual(used.value.rows.map(numberOf), runs.map(numberOf));
    // The last page has the empty cursor, with which no page is asked for.
    assert.equal(used.value.hasMore, false);
    assert.deepEqual(
      asked.map((query) => query.get("cursor")),
      [null, "50", "100"],
    );
  });

  test("without a wish for news nothing is asked for again", async () => {
    runs = [run(1)];
    await watch(false);
    await pass(60_000);
    assert.deepEqual([asked.length, StubStream.opened.length], [1, 0]);
  });

  test("something that was sent is a reason to ask, at most every two seconds", async () => {
    runs = [run(1)];
    await watch(true);
    const count = asked.length;
    for (let number = 0; number < 8; number++) {
      StubStream.opened[0]!.push({ time: number, state: "CREATED", messageId: `sent ${tests}` });
      await pass(250);
    }
    await pass(1_000);
    assert.equal(asked.length, count + 1);
  });

  test("a run that is shown changes where it is, and a new one enters on top", async () => {
    runs = [run(2), run(1)];
    await watch(true);
    runs = [run(4), run(3), run(2, "RUN_SUCCESS"), run(1)];
    await pass(10_000);
    assert.deepEqual(shown(), ["4 RUN_STARTED", "3 RUN_STARTED", "2 RUN_SUCCESS", "1 RUN_STARTED"]);
    assert.deepEqual([...used.value.freshKeys].toSorted(), ["wfr_3@3", "wfr_4@4"]);
    assert.equal(used.value.pendingCount, 0);
  });

  test("new runs wait while the reader is among the rows, each counted once", async () => {
    runs = [run(1)];
    await watch(true);
    canEnter = false;
    runs = [run(2), run(1, "RUN_FAILED")];
    await pass(10_000);
    runs = [run(3), run(2), run(1, "RUN_FAILED")];
    await pass(10_000);
    assert.deepEqual([shown(), used.value.pendingCount], [["1 RUN_FAILED"], 2]);
    used.value.showPending();
    await pass(0);
    assert.deepEqual(shown(), ["3 RUN_STARTED", "2 RUN_STARTED", "1 RUN_FAILED"]);
    await pass(10_000);
    assert.equal(used.value.pendingCount, 0);
  });

  test("a run further down that had not ended is asked for by its key, and one that had is not", async () => {
    runs = Array.from({ length: 60 }, (_, index) => run(60 - index, index % 2 ? ENDED : OPEN));
    await watch(true);
    used.value.loadMore();
    await pass(0);
    asked = [];
    runs = runs.map((each) => ({ ...each, workflowState: ENDED }));
    await pass(10_000);
    assert.deepEqual(
      asked.map((query) => query.get("workflowRuns")),
      [null, "wfr_10@10,wfr_8@8,wfr_6@6,wfr_4@4,wfr_2@2"],
    );
    assert.ok(used.value.rows.every(({ workflowState }) => workflowState === ENDED));
    asked = [];
    await pass(10_000);
    assert.equal(asked.length, 1);
  });

  test("a run that is older than the first row is none that has come", async () => {
    runs = [run(5)];
    await watch(true);
    // As when another run with the filter's state ended, and an older one moved up into the first page.
    runs = [run(5), run(4)];
    await pass(10_000);
    assert.deepEqual([shown(), used.value.pendingCount], [["5 RUN_STARTED"], 0]);
  });
});

const OPEN = "RUN_STARTED";
const ENDED = "RUN_SUCCESS";

function run(number: number, workflowState: Run["workflowState"] = OPEN): Run {
  return {
    workflowRunId: `wfr_${number}`,
    workflowUrl: "https://example.com/workflow",
    workflowState,
    workflowRunCreatedAt: number,
    workflowRunCallerIp: "127.0.0.1",
    steps: [],
  };
}

function numberOf({ workflowRunCreatedAt }: Run): number {
  return workflowRunCreatedAt;
}

function shown(): string[] {
  return used.value.rows.map((each) => `${numberOf(each)} ${each.workflowState}`);
}

/** As the server does it: by keys, or a page of all. */
function answer(path: string): Response {
  const query = new URL(path, "http://postrider").searchParams;
  asked.push(query);
  const keys = query.get("workflowRuns")?.split(",");
  if (keys !== undefined) {
    const found = runs.filter((each) => keys.includes(`${each.workflowRunId}@${numberOf(each)}`));
    return Response.json({ runs: found, cursor: "" });
  }
  const from = Number(query.get("cursor") ?? 0);
  const to = from + Number(query.get("count"));
  return Response.json({
    runs: runs.slice(from, to),
    cursor: to < runs.length ? String(to) : "",
  });
}

/** A list of its own for each test: what was shown before is kept by its filter. */
async function watch(isLive: boolean): Promise<void> {
  const filter: RunFilter = { ...ALL, label: `test ${++tests}` };
  used = new UsedHook(useRunList, filter, isLive, () => canEnter);
  await pass(0);
}
