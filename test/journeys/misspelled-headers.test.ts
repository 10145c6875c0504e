/** A setting whose header is misspelled is refused, not lost; headers of others pass. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { journeys } from "../support/journeys.ts";

journeys("misspelled headers", {}, (journey) => {
  const CASES = [
    ["Srv-Delay", "Svc-Delay"],
    ["Upstahs-Delay", "Upstash-Delay"],
    ["Svc-Dealy", "Svc-Delay"],
    ["Upstash-Retires", "Upstash-Retries"],
  ] as const;

  for (const [given, meant] of CASES) {
    test(`${given} is refused everywhere, with ${meant}`, async () => {
      const { service, destination } = journey;
      const { url } = destination;
      const says = new RegExp(
        `${given}: is not a header of this service; the nearest one is ${meant}$`,
      );
      const headers = { [given]: "1" };
      for (const path of [
        `publish/${url}/never`,
        `enqueue/never/${url}/never`,
        `trigger/${url}/never`,
        "dlq/retry",
      ]) {
        await service.refused(`POST /v2/${path}`, 400, says, { headers });
      }
      const prefix = meant.split("-")[0]!;
      await service.refused(`POST /v2/schedules/${url}/never`, 400, says, {
        headers: { [`${prefix}-Cron`]: "* * * * *", ...headers },
      });
      const [answer] = await service.batch([{ destination: `${url}/never`, headers }]);
      assert.match(String(answer!["error"]), says);
      const body = JSON.stringify([{ destination: `${url}/never`, headers }]);
      await service.refused("POST /v2/batch/trigger", 400, says, { body });
      await service.addEndpoints("misspelled", `${url}/never`);
      const defaults = JSON.stringify({ headers });
      await service.refused("PATCH /v2/topics/misspelled", 400, says, { body: defaults });
      await service.refused(`POST /v2/publish/${url}/never`, 422, says, {
        headers: { [`${prefix}-Workflow-RunId`]: "wfr_none", ...headers },
        body: '{"stepId":1,"stepName":"a","stepType":"Run"}',
      });
      assert.equal(destination.to("/never").length, 0);
    });
  }

  test("headers of browsers, proxies and other programs pass", async () => {
    const { service, destination } = journey;
    const headers = {
      "Sec-Fetch-Mode": "cors",
      "Sec-Delay": "1",
      "Srv-Name": "a",
      "Csv-Method": "tabs",
      "Vcs-Label": "main",
      "X-Delay": "1",
      Delay: "1",
      "Retry-After": "1",
    };
    await service.publish(`${destination.url}/passes`, headers);
    await destination.received("/passes");
  });
});
