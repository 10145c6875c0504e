/** What the service sends by itself, as section 6 of the specification lists it. */
import assert from "node:assert/strict";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";
import { eventually } from "../support/eventually.ts";
import { rowTests } from "./row-tests.ts";

journeys("6", {}, (journey) => {
  rowTests("6", "Events", {
    "a callback follows each attempt": async () => {
      const { service, destination } = journey;
      destination.respond = ({ url }, nth) => ({ status: url === "/fails" && nth < 3 ? 500 : 201 });
      const messageId = await service.publish(`${destination.url}/fails`, {
        "Svc-Retry-Delay": "0",
        "Svc-Callback": `${destination.url}/told`,
      });
      const told = (await destination.received("/told", 3)).map(bodyOf);
      const reports = told.map(({ retried, status }) => `${String(retried)}: ${String(status)}`);
      assert.deepEqual(new Set(reports), new Set(["0: 500", "1: 500", "2: 201"]));
      assert.equal(reports.length, 3);
      assert.ok(told.every(({ sourceMessageId }) => sourceMessageId === messageId));
    },
    "a failure callback follows the last attempt and names the dead letter": async () => {
      const { service, destination } = journey;
      destination.respond = ({ url }) => ({ status: url === "/dies" ? 500 : 200 });
      const messageId = await service.publish(`${destination.url}/dies`, {
        "Svc-Retries": "1",
        "Svc-Retry-Delay": "0",
        "Svc-Failure-Callback": `${destination.url}/failed`,
      });
      const [failed] = await destination.received("/failed");
      const payload = bodyOf(failed);
      assert.equal(payload["sourceMessageId"], messageId);
      assert.equal(destination.to("/dies").length, 2);
      const { json } = await service.call("GET", `/v2/dlq/${payload["dlqId"] as string}`);
      assert.equal(json["messageId"], messageId);
    },
    "callbacks count as messages and take over the retries": async () => {
      const { service, destination } = journey;
      destination.respond = ({ url }) => ({ status: url === "/kept" ? 200 : 500 });
      await service.publish(`${destination.url}/kept`, {
        "Svc-Retries": "2",
        "Svc-Callback": `${destination.url}/unheard`,
        "Svc-Callback-Retry-Delay": "0",
      });
      await destination.received("/unheard", 3);
      const letter = await eventually(async () => {
        const { json } = await service.call("GET", "/v2/dlq");
        const letters = json["messages"] as Item[];
        return letters.find(({ url }) => url === `${destination.url}/unheard`) ?? null;
      }, "the callback as a dead letter");
      assert.equal(letter["maxRetries"], 2);
      assert.equal(destination.to("/unheard").length, 3);
    },
  });
});

function bodyOf(request: { readonly body: Buffer } | undefined): Item {
  return JSON.parse(request?.body.toString() ?? "{}") as Item;
}
