/** Endpoints that accept the first delivery of a run: what happens when they submit nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Received, Reply } from "../support/destination-server.ts";
import type { Item } from "../support/account-calls.ts";
import { until } from "../support/eventually.ts";
import { workflowJourneys, type WorkflowJourney } from "../support/workflow-journeys.ts";

const NOT_A_WORKFLOW =
  "detected a non-workflow destination for trigger/invoke. make sure you are sending the request to the correct endpoint";
const TOO_OLD = "trigger rest api is only usable with sdk versions after v1.0.0 major version";

for (const prefix of ["Upstash-", "Svc-"]) {
  const version = { [`${prefix}Workflow-Sdk-Version`]: "1" };
  const both = { ...version, [`${prefix}workflow-sdk`]: "v1.3.3" };

  workflowJourneys(`endpoints that submit nothing, ${prefix}`, {}, (journey) => {
    test("an answer without a version is not a workflow's", async () => {
      const { error, body } = await failedBy(journey, prefix, "/foreign", { body: "hello" });
      assert.equal(error, NOT_A_WORKFLOW);
      assert.equal(body, "hello");
    });

    test("an answer of an SDK before 1.0 names the version that is needed", async () => {
      const { error } = await failedBy(journey, prefix, "/old", { headers: version });
      assert.equal(error, TOO_OLD);
    });

    test("an answer of a newer SDK says that nothing was submitted", async () => {
      const { error } = await failedBy(journey, prefix, "/new", { headers: both });
      assert.match(error, /submitted nothing/);
    });

    test("events that are kept for the run are not what its endpoint submits", async () => {
      const { service, destination } = journey;
      const { promise, resolve } = Promise.withResolvers<void>();
      destination.respond = ({ url }) => (isFirst(url) ? { headers: both, until: promise } : {});
      const runId = await trigger(journey, prefix, "/event");
      await destination.received("/event");
      await service.call("POST", `/v2/notify/${runId}/early`, { body: "data" });
      resolve();
      await journey.phase(runId, "failed");
    });

    for (const [name, headers] of Object.entries({ "no version": {}, "an old version": version })) {
      test(`an endpoint of ${name} that submits a step goes on`, async () => {
        const { service, destination } = journey;
        const path = `/submits-${name.replaceAll(" ", "-")}`;
        const submitted: number[] = [];
        const answer = async (request: Received): Promise<void> => {
          const runId = request.headers[`${prefix}workflow-runid`.toLowerCase()] ?? "";
          submitted.push((await submit(journey, prefix, runId, request)).status);
        };
        destination.respond = (request, nth) =>
          nth > 1 ? { headers } : { headers, until: answer(request) };
        const runId = await trigger(journey, prefix, path);
        await destination.received(path, 2);
        // The next delivery may overtake the answer to the submission.
        await until(() => submitted.length > 0, "the answer to the submission");
        assert.deepEqual(submitted, [200]);
        // Its second delivery was answered without a submission too, which means nothing.
        await service.logUntil(await messageIdOf(journey, runId, 1), "DELIVERED");
        await journey.phase(runId, "started");
      });
    }

    test("a step that comes after the run has failed is refused", async () => {
      const { destination } = journey;
      const { runId } = await failedBy(journey, prefix, "/late", { headers: both });
      const [first] = destination.to("/late");
      const { status, text } = await submit(journey, prefix, runId, first!);
      assert.equal(status, 400, text);
      assert.match(text, /can not append to a a cancelled workflow/);
    });
  });
}

function trigger({ service, destination }: WorkflowJourney, prefix: string, path: string) {
  return service.trigger(`${destination.url}${path}`, {
    [`${prefix}Retries`]: "3",
    [`${prefix}Failure-Callback`]: `${destination.url}/x`,
  });
}

/** Triggers a run whose endpoint answers so, once, and tells what it failed with. */
async function failedBy(journey: WorkflowJourney, prefix: string, path: string, reply: Reply) {
  const { service, destination } = journey;
  destination.respond = ({ url }) => (isFirst(url) ? reply : {});
  const runId = await trigger(journey, prefix, path);
  await journey.phase(runId, "failed");
  await destination.received("/x");
  assert.equal(destination.to(path).length, 1, "it is not tried again");
  const shownAt = `/v2/workflows/events?groupBy=workflowRunId&workflowRunId=${runId}`;
  const [run] = await service.list(shownAt, "runs");
  const groups = run!["steps"] as { type: string; steps: Item[] }[];
  assert.deepEqual(
    groups.map(({ type }) => type),
    ["sequential", "next"],
  );
  assert.equal(groups[0]!.steps[0]!["state"], "STEP_SUCCESS");
  const [told] = groups[1]!.steps[0]!["errors"] as { error: string; body: string }[];
  return { runId, error: told!.error, body: told!.body };
}

/** Submits a step as an endpoint does. */
function submit({ service }: WorkflowJourney, prefix: string, runId: string, to: Received) {
  const url = `http://${to.headers["host"]}${to.url}`;
  return service.call("POST", `/v2/publish/${url}`, {
    headers: {
      [`${prefix}Workflow-RunId`]: runId,
      [`${prefix}Workflow-Init`]: "false",
      [`${prefix}Workflow-Url`]: url,
      "Content-Type": "application/json",
    },
    body: '{"stepId":1,"stepName":"one","stepType":"Run","out":"1","concurrent":1}',
  });
}

async function messageIdOf({ service }: WorkflowJourney, runId: string, ordinal: number) {
  const [row] = await service.select(
    `SELECT message_id FROM run_entries WHERE run_id = '${runId}' AND ordinal = ${ordinal}`,
  );
  return row!["message_id"] as string;
}

/** Whether it is to the workflow, and not the report of its failure. */
function isFirst(url: string): boolean {
  return !url.startsWith("/x");
}
