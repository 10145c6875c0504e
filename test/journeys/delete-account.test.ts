/** Deleting an account: what it asks, what is refused meanwhile, and that nothing is left. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { after, test } from "node:test";
import { ACCOUNT_TABLES } from "../../src/store/upkeep/remove-account.ts";
import type { Item } from "../support/account-calls.ts";
import { freshAccount } from "../support/console-call.ts";
import { EventStream } from "../support/event-stream.ts";
import { until } from "../support/eventually.ts";
import { type Journey, journeys } from "../support/journeys.ts";
import { SteppedClock } from "../support/stepped-clock.ts";

const clock = new SteppedClock({ after });
const UNDER_WAY_MS = 90_000;

journeys("deleting an account", { clock }, (journey) => {
  const ask = async (id: string, confirm?: string): Promise<Item> => {
    const answer = await askStatus(journey, id, confirm);
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  };

  test("it is counted, confirmed and removed, and its name can be used anew", async () => {
    const { service, destination } = journey;
    const account = await freshAccount(service.url);
    const customer = String(account.record["customer_id"]);
    const other = await freshAccount(service.url);
    const later = { "Svc-Delay": "1h" };
    await other.publish(`${destination.url}/kept`, { "Svc-Delay": "5s" });
    for (let count = 0; count < 5; count++) {
      await account.publish(`${destination.url}/later`, later);
    }
    const open = destination.hold(({ url }) => url === "/held");
    const callback = { "Svc-Callback": `${destination.url}/callback` };
    await account.publish(`${destination.url}/held`, callback);
    await destination.received("/held");
    const stream = await EventStream.connect(service.url, account.token);
    stream.listen();

    const counted = await ask(account.id);
    assert.equal(counted["deleting"], false);
    const counts = counted["counts"] as Item;
    assert.deepEqual([counts["messages"], counts["schedules"]], [6, 0]);
    assert.equal(await account.status("GET", "/v2/logs"), 200);
    const wrong = await askStatus(journey, account.id, "someone else");
    assert.deepEqual([wrong.status, wrong.json["field"]], [400, "confirm"]);

    assert.equal((await ask(account.id, customer))["deleting"], true);
    await account.refused("GET /v2/logs", 403, /suspended/);
    const shown = await service.console("GET", `/v2/svc/user/${account.id}`);
    assert.equal(shown.json["modifying_state"], "deleting");
    for (const path of ["activate", "resume", "rotate-token"]) {
      const refused = await service.console("POST", `/v2/svc/${path}/${account.id}`);
      assert.equal(refused.status, 403, path);
    }
    const taken = { customer_id: customer, plan_name: "free" };
    assert.equal((await service.console("POST", "/v2/svc/user", { send: taken })).status, 400);
    await until(() => stream.isEnded, "the end of the stream");
    const isEmpty = async (): Promise<boolean> =>
      Object.values((await ask(account.id))["counts"] as Item).every((count) => count === 0);
    await until(isEmpty, "everything but the account to be removed");
    open();

    clock.step(UNDER_WAY_MS);
    const isGone = async (): Promise<boolean> =>
      (await askStatus(journey, account.id, customer)).status === 404;
    await until(isGone, "the account to be gone");
    await account.refused("GET /v2/logs", 401, /invalid token/);
    for (const table of ["accounts", ...ACCOUNT_TABLES]) {
      const sql = `SELECT count(*) AS n FROM ${table} WHERE account_id = '${account.id}'`;
      const [row] = await service.select(sql);
      assert.equal(Number(row?.["n"]), 0, table);
    }
    const made = await service.console("POST", "/v2/svc/user", { send: taken });
    assert.equal(made.status, 201);
    const { counts: anew } = await ask(String(made.json["id"]));
    assert.deepEqual(new Set(Object.values(anew as Item)), new Set([0]));
    await destination.received("/kept");
    assert.equal(destination.to("/callback").length, 0);
    const isLogged = () => service.logged.some((line) => line.startsWith("account deleted"));
    await until(isLogged, "the log to say so, after the last row");
  });

  test("a body that was on its way when the account was marked is not stored", async () => {
    const { service, destination } = journey;
    const account = await freshAccount(service.url);
    const { hostname, port } = new URL(service.url);
    const upload = request({
      hostname,
      port,
      method: "POST",
      path: `/v2/publish/${destination.url}/late`,
      headers: { Authorization: `Bearer ${account.token}`, Expect: "100-continue" },
    });
    upload.flushHeaders();
    // The server asks for the body once it has let the caller in.
    await once(upload, "continue");
    await ask(account.id, account.as[0]);
    upload.end("late");
    const [answer] = (await once(upload, "response")) as [IncomingMessage];
    answer.resume();
    assert.equal(answer.statusCode, 403);
  });

  test("an account that every start creates cannot be deleted, and others only by the operator", async () => {
    const refused = await askStatus(journey, "defaultUser", "defaultUser");
    assert.deepEqual([refused.status, (await ask("defaultUser"))["deleting"]], [403, false]);
    const account = await freshAccount(journey.service.url);
    const path = `/v2/svc/user/${account.id}?confirm=${account.as[0]}`;
    const own = await journey.service.console("DELETE", path, { as: account.as });
    assert.equal(own.status, 403);
    assert.equal((await askStatus(journey, "nobody", "nobody")).status, 404);
  });
});

function askStatus({ service }: Journey, id: string, confirm?: string) {
  const query = confirm === undefined ? "" : `?confirm=${encodeURIComponent(confirm)}`;
  return service.console("DELETE", `/v2/svc/user/${id}${query}`);
}
