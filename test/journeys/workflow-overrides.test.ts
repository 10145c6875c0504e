/** Failed runs that are taken up with other settings: what their endpoint and their callback receive. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inEveryWay, nameOf, takeUp, toldIn, type Way } from "../support/failed-runs.ts";
import { journeys } from "../support/journeys.ts";

const HOUR_MS = 3_600_000;

journeys("settings of runs that are taken up again", {}, (journey) => {
  /** Takes failed runs up with new settings, and sees them in all that is delivered from then on. */
  async function takesNewSettings(way: Way, labels: string): Promise<void> {
    const { service, destination } = journey;
    const name = labels === "" ? "bare" : "labelled";
    const key = nameOf(`${name}-key`, way);
    const callback = `/${nameOf(name, way)}-new`;
    const runs = await takeUp({
      journey,
      way,
      name,
      before: {
        "Forward-X-Own": "own",
        "Failure-Callback-Forward-X-Report": "old",
        ...(labels === "" ? {} : { Label: labels }),
      },
      given: {
        Label: "new,newer",
        Retries: "1",
        "Retry-Delay": "1",
        "Flow-Control-Key": key,
        "Flow-Control-Value": "parallelism=1",
        "Failure-Callback": `${destination.url}${callback}`,
        "Failure-Callback-Forward-X-Report": "new",
      },
      endpoint: (run) => run.fails(),
    });
    for (const report of await destination.received(callback, runs.length)) {
      assert.deepEqual(toldIn(way, report, ["Label"]), ["new,newer"]);
      assert.deepEqual([report.headers["x-report"], report.headers["x-own"]], ["new", "own"]);
    }
    for (const run of runs) {
      assert.equal(destination.to(`${run.path}-report`).length, 1, "only the first failure");
      assert.ok(run.deliveries.every(({ headers }) => headers["x-own"] === "own"));
      assert.deepEqual(run.told("Label", "Retried"), [
        ["new,newer", "0"],
        ["new,newer", "1"],
      ]);
    }
    assert.equal((await service.get(`/v2/flowControl/${key}`))["parallelismMax"], 1);
  }

  for (const labels of ["old,older", ""]) {
    const kind = labels === "" ? "without labels" : "with labels";
    inEveryWay(`endpoint and callback of a run ${kind} get the new settings`, (way) =>
      takesNewSettings(way, labels),
    );
  }

  for (const verb of ["resume", "restart"] as const) {
    test(`${verb}: a run that is found by its id gets the new settings`, async () => {
      await takesNewSettings({ verb, form: "found", prefix: "Svc-" }, "old,older");
    });
  }

  test("a sleep that is not over goes on after a resume", async () => {
    const { service, destination } = journey;
    const url = `${destination.url}/sleeps`;
    const version = { "Svc-Workflow-Sdk-Version": "1", "Svc-Workflow-Sdk": "v1" };
    destination.respond = ({ headers }, nth) => {
      if (nth > 1) return { status: 500, headers: version };
      const run = {
        "Svc-Workflow-RunId": headers["svc-workflow-runid"],
        "Svc-Workflow-Init": "false",
      };
      const plan = { stepId: 0, concurrent: 2 };
      const nap = { ...plan, stepName: "s1", stepType: "SleepFor", targetStep: 1 };
      const step = { ...plan, stepName: "s2", stepType: "Run", targetStep: 2 };
      const sent = service.batch([
        { destination: url, headers: { ...run, "Svc-Delay": "1h" }, body: JSON.stringify(nap) },
        { destination: url, headers: run, body: JSON.stringify(step) },
      ]);
      return { headers: version, until: sent };
    };
    const { dlqId } = await service.failedRun(await service.trigger(url, { "Svc-Retries": "0" }));
    const { json } = await service.call("POST", `/v2/workflows/dlq/resume/${dlqId}`, {
      headers: { "Svc-Delay": "10s" },
    });
    const rows = await service.select(
      `SELECT ready_at FROM messages WHERE run_id = '${String(json["workflowRunId"])}'
       ORDER BY ready_at`,
    );
    const waitsMs = rows.map((row) => Number(row["ready_at"]) - Date.now());
    assert.equal(waitsMs.length, 2);
    assert.ok(waitsMs[0]! < HOUR_MS / 2, String(waitsMs));
    assert.ok(waitsMs[1]! > HOUR_MS / 2, "the sleep is not cut short");
  });
});
