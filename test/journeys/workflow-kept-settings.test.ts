/** Failed runs that are taken up: what is left of the settings that the call does not name. */
import assert from "node:assert/strict";
import { before } from "node:test";
import { canary, isWrittenIn } from "../support/canaries.ts";
import {
  inEveryWay,
  nameOf,
  type Settings,
  type TakenUp,
  takeUp,
  toldIn,
  type Way,
} from "../support/failed-runs.ts";
import { journeys } from "../support/journeys.ts";

/** Never settles: the service must give up by itself. */
const NEVER = new Promise<void>(() => undefined);

journeys("settings of a run that is taken up", {}, (journey) => {
  before(() => {
    // The first call to a new failure callback is left unanswered, the second fails.
    journey.destination.respond = ({ url }, nth) => {
      if (!url.endsWith("-new")) return {};
      return nth === 1 ? { until: NEVER } : { status: nth === 2 ? 500 : 200 };
    };
  });

  /** The calls of the new failure callback of runs that fail again. */
  async function reportsOf(way: Way, name: string, kept: Settings, given: Settings) {
    const url = `${journey.destination.url}/${nameOf(name, way)}-new`;
    const runs = await takeUp({
      journey,
      way,
      name,
      before: kept,
      given: { ...given, "Failure-Callback": url },
      endpoint: (run) => run.fails(),
    });
    // Of two runs the first report is left unanswered, and then sent again.
    const calls = await journey.destination.received(new URL(url).pathname, runs.length + 2);
    const [messageId] = toldIn(way, calls[0], ["Message-Id"]);
    await journey.service.logUntil(messageId!, "DELIVERED");
    const shown = await journey.service.message(messageId!);
    for (const run of runs) {
      assert.equal(journey.destination.to(`${run.path}-report`).length, 1, "the old one, once");
    }
    return { calls, shown };
  }

  inEveryWay("a new failure callback has the settings of the old one", async (way) => {
    const key = nameOf("kept-key", way);
    const { calls, shown } = await reportsOf(
      way,
      "callback-kept",
      {
        "Failure-Callback-Retries": "2",
        "Failure-Callback-Retry-Delay": "1",
        "Failure-Callback-Timeout": "1s",
        "Failure-Callback-Method": "PUT",
        "Failure-Callback-Forward-X-Report": "old",
        "Failure-Callback-Flow-Control-Key": key,
        "Failure-Callback-Flow-Control-Value": "rate=100",
      },
      { Retries: "0" },
    );
    for (const { method, headers } of calls) {
      assert.deepEqual([method, headers["x-report"]], ["PUT", "old"]);
    }
    assert.equal(shown["flowControlKey"], key);
    assert.equal(shown["maxRetries"], 2);
  });

  inEveryWay("settings of a new failure callback replace those of the old one", async (way) => {
    const key = nameOf("own-key", way);
    const { calls, shown } = await reportsOf(
      way,
      "callback-own",
      {
        "Failure-Callback-Retries": "0",
        "Failure-Callback-Retry-Delay": "3600000",
        "Failure-Callback-Timeout": "1h",
        "Failure-Callback-Method": "PUT",
        "Failure-Callback-Forward-X-Report": "old",
        "Failure-Callback-Forward-X-Other": "other",
        "Failure-Callback-Flow-Control-Key": nameOf("old-callback-key", way),
        "Failure-Callback-Flow-Control-Value": "rate=100",
      },
      {
        "Failure-Callback-Retries": "2",
        "Failure-Callback-Retry-Delay": "1",
        "Failure-Callback-Timeout": "1s",
        "Failure-Callback-Method": "PATCH",
        "Failure-Callback-Delay": "1s",
        "Failure-Callback-Forward-X-Report": "new",
        "Failure-Callback-Flow-Control-Key": key,
        "Failure-Callback-Flow-Control-Value": "rate=200",
      },
    );
    for (const { method, headers } of calls) {
      assert.deepEqual(
        [method, headers["x-report"], headers["x-other"]],
        ["PATCH", "new", "other"],
      );
    }
    assert.equal(shown["flowControlKey"], key);
    assert.equal(shown["maxRetries"], 2);
    assert.equal(Number(shown["notBefore"]) - Number(shown["createdAt"]), 1_000);
  });

  inEveryWay("what is not named is kept, for every step that is left", async (way) => {
    const key = nameOf("run-key", way);
    const runs = await takeUp({
      journey,
      way,
      name: "kept",
      before: {
        Retries: "1",
        "Retry-Delay": "50",
        Timeout: "1s",
        Label: "kept,too",
        "Forward-X-Own": "own",
        "Failure-Callback-Forward-X-Report": "old",
        "Flow-Control-Key": key,
        "Flow-Control-Value": "rate=1000",
      },
      endpoint: (run, request, nth) => {
        if (nth === 1 || nth === 3) return { until: NEVER };
        return nth === 2 ? run.submit(request) : run.fails();
      },
    });
    for (const run of runs) {
      const [, report] = await journey.destination.received(`${run.path}-report`, 2);
      assert.deepEqual(run.told("Retried", "Label"), [
        ["0", "kept,too"],
        ["1", "kept,too"],
        ["0", "kept,too"],
        ["1", "kept,too"],
      ]);
      assert.ok(run.deliveries.every(({ headers }) => headers["x-own"] === "own"));
      assert.deepEqual(toldIn(way, report!, ["Label"]), ["kept,too"]);
      assert.equal(report!.headers["x-report"], "old");
      const [, , step] = run.deliveries;
      const [messageId] = toldIn(way, step!, ["Message-Id"]);
      const entries = await journey.service.logUntil(messageId!, "FAILED");
      assert.equal(entries[0]?.["flowControlKey"], key);
      assert.equal(entries[0]?.["retryDelayExpr"], "50");
    }
  });

  for (const hidden of ["payload, header", "header"]) {
    inEveryWay(`a hidden ${hidden} is delivered, and shown nowhere`, async (way) => {
      const name = hidden.replace(", ", "-");
      const [payload, header] = ["p", "h"].map((what) => canary(`${nameOf(name, way)}-${what}`));
      const runs = await takeUp({
        journey,
        way,
        name,
        payload: payload!,
        before: {
          "Redact-Fields": hidden.replace("payload", "body").replace("header", "header[X-Key]"),
          "Forward-X-Key": header!,
        },
        endpoint: (run, request, nth) => (nth === 1 ? run.submit(request) : run.fails()),
      });
      for (const run of runs) {
        const [, report] = await journey.destination.received(`${run.path}-report`, 2);
        for (const { headers, body } of [...run.deliveries, report!]) {
          assert.equal(headers["x-key"], header);
          assert.ok(isWrittenIn(body.toString(), payload!), run.path);
        }
        const shown = await everythingShown(way, run);
        assert.ok(!isWrittenIn(shown, header!), `the header is shown in ${shown}`);
        assert.equal(isWrittenIn(shown, payload!), hidden === "header", "the payload");
      }
    });
  }

  /** What lists say of a run and of its messages. */
  async function everythingShown(way: Way, run: TakenUp): Promise<string> {
    const { service, destination } = journey;
    const sent = [...run.deliveries, ...destination.to(`${run.path}-report`)];
    const ids = sent.map((request) => toldIn(way, request, ["Message-Id"])[0]!);
    const paths = [
      `/v2/workflows/logs?workflowRunId=${run.runId}&trimBody=100000`,
      `/v2/workflows/events?workflowRunId=${run.runId}`,
      `/v2/workflows/dlq?workflowRunId=${run.runId}`,
      ...ids.flatMap((id) => [`/v2/logs?messageId=${id}`, `/v2/messages/${id}`]),
    ];
    const answers = await Promise.all(paths.map((path) => service.call("GET", path)));
    assert.ok(answers.every(({ status }) => status === 200));
    return answers.map(({ text }) => text).join("\n");
  }
});
