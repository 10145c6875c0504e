/** Failed runs that are taken up with other settings: what their endpoint and their callback receive. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Received } from "../support/destination-server.ts";
import { type Journey, journeys } from "../support/journeys.ts";

const VERSION = { "Svc-Workflow-Sdk-Version": "1", "Svc-Workflow-Sdk": "v1" };
const HOUR_MS = 3_600_000;

journeys("settings of runs that are taken up again", {}, (journey) => {
  for (const verb of ["resume", "restart"]) {
    for (const form of ["one", "many"]) {
      for (const labels of ["old,older", ""]) {
        const name = `${verb}-${form}-${labels === "" ? "bare" : "labelled"}`;
        test(`${name}: endpoint and callback get the new settings`, async () => {
          const { service, destination } = journey;
          const runId = await failAfterStep(journey, name, labels);
          const before = destination.to(`/${name}`).length;
          const { status, text } = await takeUp(journey, verb, form, runId, {
            "Svc-Label": "new,newer",
            "Svc-Retries": "1",
            "Svc-Retry-Delay": "1",
            "Svc-Flow-Control-Key": `${name}-key`,
            "Svc-Flow-Control-Value": "parallelism=1",
            "Svc-Failure-Callback": `${destination.url}/${name}-new`,
            "Svc-Failure-Callback-Forward-X-Report": "new",
          });
          assert.equal(status, 200, text);
          const [report] = await destination.received(`/${name}-new`);
          assert.equal(destination.to(`/${name}-old`).length, 1, "only the first failure");
          assert.deepEqual(named(report, ["svc-label", "x-report", "x-own"]), [
            "new,newer",
            "new",
            "own",
          ]);
          const again = destination.to(`/${name}`).slice(before);
          assert.deepEqual(
            again.map((one) => named(one, ["svc-label", "x-own", "svc-retried"])),
            [
              ["new,newer", "own", "0"],
              ["new,newer", "own", "1"],
            ],
          );
          const keys = await service.select(
            `SELECT line FROM line_limits WHERE line = 'k:${name}-key'`,
          );
          assert.equal(keys.length, 1);
        });
      }
    }
  }

  test("a run that is resumed without headers keeps its settings", async () => {
    const { destination } = journey;
    const runId = await failAfterStep(journey, "kept", "old,older");
    const before = destination.to("/kept").length;
    await takeUp(journey, "resume", "one", runId, {});
    const [, report] = await destination.received("/kept-old", 2);
    assert.deepEqual(named(report!, ["svc-label", "x-report"]), ["old,older", "old"]);
    const again = destination.to("/kept").slice(before);
    assert.deepEqual(
      again.map((one) => named(one, ["svc-label", "x-own", "svc-retried"])),
      [["old,older", "own", "0"]],
    );
  });

  test("a sleep that is not over goes on after a resume", async () => {
    const { service, destination } = journey;
    destination.respond = ({ headers }, nth) => {
      if (nth > 1) return { status: 500, headers: VERSION };
      const runId = headers["svc-workflow-runid"] ?? "";
      const plans = [1, 2].map((step) => ({
        destination: `${destination.url}/sleeps`,
        headers: { ...stepHeaders(runId), ...(step === 1 ? { "Svc-Delay": "1h" } : {}) },
        body: JSON.stringify({
          stepId: 0,
          stepName: `s${step}`,
          stepType: step === 1 ? "SleepFor" : "Run",
          concurrent: 2,
          targetStep: step,
        }),
      }));
      const sent = service.call("POST", "/v2/batch", { body: JSON.stringify(plans) });
      return { headers: VERSION, until: sent };
    };
    const runId = await trigger(journey, "sleeps", "");
    await service.failedRun(runId);
    const { json } = await takeUp(journey, "resume", "one", runId, { "Svc-Delay": "10s" });
    const rows = await service.select(
      `SELECT ready_at FROM messages WHERE run_id = '${json["workflowRunId"] as string}'
       ORDER BY ready_at`,
    );
    const waitsMs = rows.map((row) => Number(row["ready_at"]) - Date.now());
    assert.equal(waitsMs.length, 2);
    assert.ok(waitsMs[0]! < HOUR_MS / 2, String(waitsMs));
    assert.ok(waitsMs[1]! > HOUR_MS / 2, "the sleep is not cut short");
  });
});

/** A run whose first step is done, and whose second delivery fails. */
async function failAfterStep(journey: Journey, name: string, labels: string): Promise<string> {
  const { service, destination } = journey;
  destination.respond = ({ url, headers }, nth) => {
    if (url !== `/${name}`) return {};
    if (nth > 1) return { status: 500, headers: VERSION };
    const runId = headers["svc-workflow-runid"] ?? "";
    const sent = service.call("POST", `/v2/publish/${destination.url}${url}`, {
      headers: stepHeaders(runId),
      body: '{"stepId":1,"stepName":"one","stepType":"Run","out":"1","concurrent":1}',
    });
    return { headers: VERSION, until: sent };
  };
  const runId = await trigger(journey, name, labels);
  await service.failedRun(runId);
  await destination.received(`/${name}-old`);
  return runId;
}

function trigger({ service, destination }: Journey, name: string, labels: string): Promise<string> {
  return service.trigger(`${destination.url}/${name}`, {
    "Svc-Retries": "0",
    "Svc-Forward-X-Own": "own",
    "Svc-Failure-Callback": `${destination.url}/${name}-old`,
    "Svc-Failure-Callback-Forward-X-Report": "old",
    ...(labels === "" ? {} : { "Svc-Label": labels }),
  });
}

function stepHeaders(runId: string): Record<string, string> {
  return { "Svc-Workflow-RunId": runId, "Svc-Workflow-Init": "false" };
}

async function takeUp(
  journey: Journey,
  verb: string,
  form: string,
  runId: string,
  headers: Record<string, string>,
) {
  const { dlqId } = await journey.service.failedRun(runId);
  const path = form === "one" ? `${verb}/${dlqId}` : `${verb}?workflowRunId=${runId}`;
  return journey.service.call("POST", `/v2/workflows/dlq/${path}`, { headers });
}

function named({ headers }: Received, names: readonly string[]): unknown[] {
  return names.map((name) => headers[name]);
}
