/** What a page of the log of runs holds: bounded by what it shows, and by what it reads for that. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../support/account-calls.ts";
import { journeys } from "../support/journeys.ts";

const MEGABYTE = 1024 * 1024;
const FAILS = { "Svc-Retries": "0", "Svc-Workflow-Sdk-Version": "1", "Svc-Workflow-Init": "true" };

journeys("pages of the log of runs", {}, (journey) => {
  async function failRuns(count: number, bytes: number): Promise<string[]> {
    const { service, destination } = journey;
    destination.respond = () => ({
      status: 500,
      headers: { "Svc-Error-Step-Name": "pay%20%C3%BC" },
      body: JSON.stringify({ error: "CardDeclined", message: "card 17", stack: "at pay" }),
    });
    const ids: string[] = [];
    for (let index = 0; index < count; index++) {
      const id = await service.trigger(`${destination.url}/large`, FAILS, "x".repeat(bytes));
      await service.failedRun(id);
      ids.unshift(id);
    }
    return ids;
  }

  /** The ids of the large runs, page by page. */
  async function pagesOf(path: string): Promise<unknown[][]> {
    const { service, destination } = journey;
    const url = encodeURIComponent(`${destination.url}/large`);
    const pages: unknown[][] = [];
    let cursor = "";
    do {
      const { json, text } = await service.call(
        "GET",
        `${path}workflowUrl=${url}&cursor=${cursor}`,
      );
      assert.ok(text.length < 5 * MEGABYTE, `${text.length} characters`);
      pages.push(idsIn(json["runs"] as Item[]));
      cursor = (json["cursor"] as string | undefined) ?? "";
    } while (cursor !== "");
    return pages;
  }

  test("large runs that are shown without bodies share a page", async () => {
    const { service, destination } = journey;
    const ids = await failRuns(3, 3 * MEGABYTE);
    const url = encodeURIComponent(`${destination.url}/large`);
    for (const path of [
      `/v2/workflows/logs?workflowUrl=${url}`,
      `/v2/workflows/events?groupBy=workflowRunId&trimBody=10&workflowUrl=${url}`,
    ]) {
      const { json, text } = await service.call("GET", path);
      assert.deepEqual(idsIn(json["runs"] as Item[]), ids, path);
      assert.ok(text.length < 20_000, `${text.length} characters`);
    }
    const events = await service.call("GET", `/v2/workflows/events?trimBody=-1&workflowUrl=${url}`);
    const found = new Set(idsIn(events.json["events"] as Item[]));
    assert.deepEqual([...found], ids);
  });

  test("large runs that are shown whole end a page, and the pages together have all", async () => {
    const pages = await pagesOf("/v2/workflows/events?groupBy=workflowRunId&");
    assert.deepEqual(
      pages.map((ids) => ids.length),
      [1, 1, 1],
    );
    assert.equal(new Set(pages.flat()).size, 3);
  });

  test("what is read for a page is bounded, and the next page continues", async () => {
    const before = await pagesOf("/v2/workflows/logs?");
    await failRuns(4, 5 * MEGABYTE);
    const pages = await pagesOf("/v2/workflows/logs?");
    assert.deepEqual([before.length, pages.length], [1, 2]);
    assert.ok(pages[0]!.length >= 2, `${pages[0]!.length} runs on the first page`);
    assert.equal(new Set(pages.flat()).size, 7);
    assert.equal(pages.flat().length, 7);
  });

  test("a failed step has its name and its message, with and without bodies", async () => {
    const { service } = journey;
    const [id] = await failRuns(1, 10);
    for (const path of ["/v2/workflows/logs?", "/v2/workflows/events?groupBy=workflowRunId&"]) {
      const { json } = await service.call("GET", `${path}workflowRunId=${id}`);
      const [run] = json["runs"] as Item[];
      const steps = (run!["steps"] as { steps: Item[] }[]).flatMap((group) => group.steps);
      const failed = steps.find(({ state }) => state === "STEP_FAILED")!;
      assert.equal(failed["stepName"], "pay ü", path);
      const [error] = failed["errors"] as Item[];
      assert.deepEqual(
        [error!["error"], error!["name"], error!["message"]],
        ["500 Internal Server Error", "CardDeclined", "card 17"],
      );
      assert.equal(error!["body"] === undefined, path.startsWith("/v2/workflows/logs"));
    }
  });
});

function idsIn(runs: readonly Item[]): unknown[] {
  return runs.map(({ workflowRunId }) => workflowRunId);
}
