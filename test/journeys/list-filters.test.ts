/** Filters that a list does not have. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { journeys } from "../support/journeys.ts";

const LISTS = [
  "logs",
  "events",
  "dlq",
  "dlq?source=workflow",
  "messages",
  "schedules",
  "topics",
  "queues",
  "flowControl",
  "workflows/logs",
  "workflows/events",
  "workflows/dlq",
] as const;

journeys("filters of lists", {}, (journey) => {
  const get = (list: string, parameters: string) =>
    journey.service.call("GET", `/v2/${list}${list.includes("?") ? "&" : "?"}${parameters}`);

  test("one that does not exist is refused by its name, and not passed over", async () => {
    for (const list of LISTS) {
      for (const name of ["lable", "messageID", "__proto__", "lable%00"]) {
        const { status, json } = await get(list, `${name}=x`);
        assert.equal(status, 400, `${list} ${name}`);
        assert.match(json["error"] as string, /: is not a known parameter$/);
      }
    }
  });

  test("parameters without effect, and the token, are accepted", async () => {
    for (const list of LISTS.filter((each) => each !== "messages")) {
      const grouped = list.startsWith("workflows/") ? "" : "&groupBy=messageId";
      const vain = `api=llm&trimBody=10&order=latestFirst${grouped}`;
      assert.equal((await get(list, vain)).status, 200, list);
    }
    for (const list of LISTS) {
      for (const name of ["svc_token", "qstash_token"]) {
        assert.equal((await get(list, `${name}=x`)).status, 200, list);
      }
    }
  });
});
