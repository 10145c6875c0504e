/** Small answers, as section 2.4 of the specification lists them. */
import assert from "node:assert/strict";
import { journeys } from "../support/journeys.ts";
import { rowTests } from "./row-tests.ts";

journeys("2.4", {}, (journey) => {
  rowTests("2.4", "Answers of messaging", {
    "create schedule response": async () => {
      const { service, destination } = journey;
      const { status, json } = await service.call("POST", `/v2/schedules/${destination.url}/`, {
        headers: { "Svc-Cron": "0 0 1 1 *", "Svc-Schedule-Id": "answered" },
      });
      assert.deepEqual({ status, json }, { status: 200, json: { scheduleId: "answered" } });
    },
    "error body": async () => {
      const { service, destination } = journey;
      const { json } = await service.call("POST", `/v2/publish/${destination.url}/`, {
        headers: { "Svc-Retries": "many" },
      });
      assert.deepEqual(Object.keys(json), ["error", "code", "field"]);
      assert.match(json["error"] as string, /Svc-Retries/);
    },
  });
});
