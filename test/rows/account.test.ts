/** Every field of an account's record, as section 2.5 of the specification lists them. */
import assert from "node:assert/strict";
import { before } from "node:test";
import { callConsole, freshAccount } from "../support/console-call.ts";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";
import { rowTests } from "./row-tests.ts";

journeys("2.5", { flags: { region: "us-east-1" } }, (journey) => {
  let created: Item;
  let record: Item;
  let startedAt: number;

  const read = async (id: string): Promise<Item> =>
    (await callConsole(journey.service.url, "GET", `/v2/svc/user/${id}`)).json;

  before(async () => {
    startedAt = Math.floor(Date.now() / 1_000);
    const account = await freshAccount(journey.service.url, {
      customer_id: "owner@example.com",
      plan_name: "svc_fixed_1m",
      budget: 250,
    });
    created = account.record;
    record = await read(account.id);
  });

  const is = (field: string, value: unknown) => () => assert.deepEqual(record[field], value);

  rowTests("2.5", "Account", {
    customer_id: is("customer_id", "owner@example.com"),
    id: () => assert.match(record["id"] as string, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    password: async () => {
      assert.equal(record["password"], "");
      const as = ["owner@example.com", created["password"] as string] as const;
      const path = `/v2/svc/user/${created["id"] as string}`;
      const { status } = await callConsole(journey.service.url, "GET", path, { as });
      assert.equal(status, 200);
    },
    token: async () => {
      assert.equal(record["token"], "");
      const token = created["token"] as string;
      assert.equal((await journey.service.call("GET", "/v2/keys", { token })).status, 200);
      const inside = JSON.parse(Buffer.from(token, "base64").toString()) as Item;
      assert.equal(inside["UserID"], created["id"]);
    },
    active: is("active", true),
    state: is("state", "active"),
    modifying_state: is("modifying_state", ""),
    last_plan_upgrade_time: async () => {
      const { url } = journey.service;
      const { id } = await freshAccount(url, { plan_name: "free" });
      await callConsole(url, "POST", `/v2/svc/set-plan/${id}`, { send: { plan_name: "paid" } });
      const upgradedAt = (await read(id))["last_plan_upgrade_time"] as number;
      assert.ok(upgradedAt >= startedAt && upgradedAt <= Date.now() / 1_000, String(upgradedAt));
    },
    type: async () => {
      assert.equal(record["type"], "paid");
      const { record: free } = await freshAccount(journey.service.url, { plan_name: "free" });
      assert.equal(free["type"], "free");
    },
    reserved_type: is("reserved_type", "svc_fixed_1m"),
    reserved_price: is("reserved_price", 0),
    prod_pack_enabled: is("prod_pack_enabled", false),
    prometheus_enabled: is("prometheus_enabled", "false"),
    enterprise: is("enterprise", undefined),
    region: is("region", "us-east-1"),
    budget: is("budget", 250),
    created_by: is("created_by", "admin"),
    creation_time: () => {
      const createdAt = record["creation_time"] as number;
      assert.ok(createdAt >= startedAt && createdAt <= Date.now() / 1_000, String(createdAt));
    },
    retention: is("retention", 7),
  });
});
