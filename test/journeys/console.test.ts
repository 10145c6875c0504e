/** The console interface: accounts, their credentials, plans and limits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../support/account-calls.ts";
import { ADMIN, basic, type ConsoleOptions, freshAccount } from "../support/console-call.ts";
import { call } from "../support/http-call.ts";
import { journeys } from "../support/journeys.ts";

journeys("the console", {}, (journey) => {
  const console = (method: string, path: string, options?: ConsoleOptions) =>
    journey.service.console(method, path, options);

  const users = async (query = "", as: ConsoleOptions["as"] = ADMIN): Promise<Item[]> =>
    (await console("GET", `/v2/svc/users${query}`, { as })).json as unknown as Item[];

  test("an account is created with its secrets, which are not shown again", async () => {
    const { url } = journey.service;
    const account = await freshAccount(url, { plan_name: "svc_fixed_1m" });
    const { record, id, token } = account;
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.deepEqual(JSON.parse(Buffer.from(token, "base64").toString()).UserID, id);
    for (const [name, type] of Object.entries(RECORD_TYPES)) {
      assert.equal(typeof record[name], type, name);
    }
    assert.equal(record["type"], "paid");
    assert.equal(record["reserved_type"], "svc_fixed_1m");
    assert.equal(record["max_message_size"], 52_428_800);
    assert.equal(record["created_by"], "admin");
    const shown = await console("GET", `/v2/svc/user/${id}`);
    const { read_only_token: _, ...rest } = record;
    assert.deepEqual(shown.json, { ...rest, token: "", password: "" });
    assert.equal(await account.status("GET", "/v2/logs"), 200);
    const readOnly = record["read_only_token"] as string;
    const rotate = await call(url, "POST", "/v2/keys/rotate", { token: readOnly });
    assert.equal(rotate.status, 403);
  });

  test("the list shows every account to the operator, and each only itself", async () => {
    const { url } = journey.service;
    const one = await freshAccount(url);
    const all = await users();
    const ids = all.map(({ id }) => id);
    assert.ok(ids.includes(one.id) && ids.includes("defaultUser"));
    assert.ok(all.every(({ token }) => token === ""));
    assert.equal((await users("?count=1"))[0]?.["id"], ids[0]);
    assert.equal((await users(`?count=1&after=${String(ids[0])}`))[0]?.["id"], ids[1]);
    const own = await users("", one.as);
    assert.deepEqual(
      own.map(({ id }) => id),
      [one.id],
    );
  });

  test("rotating replaces tokens and password, and the old ones are refused", async () => {
    const { url } = journey.service;
    const { id, token, as } = await freshAccount(url);
    assert.equal((await console("GET", `/v2/svc/user/${id}`, { as })).status, 200);
    const rotated = await console("POST", `/v2/svc/rotate-token/${id}`, { as });
    assert.equal(rotated.status, 200);
    assert.equal(rotated.headers["cache-control"], "no-store");
    const {
      token: next,
      password,
      read_only_token: readOnly,
    } = rotated.json as Record<string, string>;
    assert.notEqual(next, token);
    for (const [used, status] of [
      [token, 401],
      [next, 200],
      [readOnly, 200],
    ] as const) {
      assert.equal((await call(url, "GET", "/v2/logs", { token: used! })).status, status);
    }
    assert.equal((await console("GET", `/v2/svc/user/${id}`, { as })).status, 401);
    const fresh = [as[0], password!] as const;
    assert.equal((await console("GET", `/v2/svc/user/${id}`, { as: fresh })).status, 200);
  });

  test("with a grace the old token is taken for that long, and not without", async () => {
    const { url } = journey.service;
    const account = await freshAccount(url);
    const { id } = account;
    assert.equal((await console("POST", `/v2/svc/rotate-token/${id}?grace=10m`)).status, 200);
    assert.equal(await account.status("GET", "/v2/logs"), 200);
    assert.equal((await console("POST", `/v2/svc/rotate-token/${id}?grace=0`)).status, 200);
    assert.equal(await account.status("GET", "/v2/logs"), 401);
    for (const grace of ["", "soon", "8d", "-1"]) {
      const refused = await console("POST", `/v2/svc/rotate-token/${id}?grace=${grace}`);
      assert.equal(refused.status, 400, grace);
      assert.match(refused.text, /grace/);
    }
  });

  test("a plan, a budget and limits of its own are set and seen at once", async () => {
    const { url } = journey.service;
    const account = await freshAccount(url, { plan_name: "free", limits: { max_topics: 4 } });
    const { id } = account;
    const record = async () => (await console("GET", `/v2/svc/user/${id}`)).json;
    assert.equal((await record())["max_topics"], 4);
    assert.equal((await record())["last_plan_upgrade_time"], 0);
    const send = { plan_name: "qstash_fixed_10m" };
    assert.equal((await console("POST", `/v2/svc/set-plan/${id}`, { send })).text, '"OK"');
    const moved = await record();
    assert.deepEqual([moved["reserved_type"], moved["max_topics"]], ["svc_fixed_10m", 4]);
    assert.ok((moved["last_plan_upgrade_time"] as number) > 1_700_000_000);
    const budget = { send: { budget: 20 } };
    assert.equal((await console("PATCH", `/v2/svc/update-budget/${id}`, budget)).status, 200);
    assert.equal((await record())["budget"], 20);
    const limits = { max_topics: null, max_message_size: 10, max_global_parallelism: 2147483647 };
    const limited = await console("PATCH", `/v2/svc/update-limits/${id}`, { send: limits });
    assert.equal(limited.json["max_topics"], 3_000);
    assert.deepEqual(limited.json["limit_overrides"], {
      max_message_size: 10,
      max_global_parallelism: 2147483647,
    });
    const path = `/v2/publish/${journey.destination.url}/x`;
    assert.equal(await account.status("POST", path, { body: "12345678901" }), 413);
  });

  test("an account reaches only itself: others are as if they did not exist", async () => {
    const { url } = journey.service;
    const one = await freshAccount(url);
    const other = await freshAccount(url);
    for (const [method, path, send] of [
      ["GET", "user", undefined],
      ["GET", "stats", undefined],
      ["POST", "rotate-token", undefined],
      ["PATCH", "update-budget", { budget: 0 }],
    ] as const) {
      const foreign = await console(method, `/v2/svc/${path}/${other.id}`, { as: one.as, send });
      const missing = await console(method, `/v2/svc/${path}/nobody`, { as: one.as, send });
      assert.equal(foreign.status, 404, path);
      assert.equal(foreign.text.replace(other.id, "nobody"), missing.text);
      const own = await console(method, `/v2/svc/${path}/${one.id}`, { as: one.as, send });
      assert.equal(own.status, 200, path);
      if (path === "rotate-token") Object.assign(one, { as: [one.as[0], own.json["password"]] });
    }
    for (const path of ["set-plan", "suspend", "activate", "pause", "resume"]) {
      for (const id of [one.id, other.id, "nobody"]) {
        const refused = await console("POST", `/v2/svc/${path}/${id}`, { as: one.as });
        assert.equal(refused.status, 403, path);
        assert.equal(refused.json["error"], "only the operator may do this");
      }
    }
    const send = { customer_id: "mine" };
    assert.equal((await console("POST", "/v2/svc/user", { as: one.as, send })).status, 403);
    assert.equal((await console("POST", "/v2/svc/pause", { as: one.as })).status, 403);
  });

  test("statistics count by day what an account did", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({});
    const account = await freshAccount(service.url);
    const { id } = account;
    await account.publish(`${destination.url}/counted`);
    const stats = await console("GET", `/v2/svc/stats/${id}?period=7d`);
    assert.equal(stats.json["messages"], 1);
    assert.equal(stats.json["daily_requests"], 1);
    assert.equal(stats.json["over_daily_limit"], false);
    const [day] = stats.json["days"] as { day: string; messages: number }[];
    assert.match(day?.day ?? "", /^\d{4}-\d\d-\d\d$/);
    assert.equal((await console("GET", `/v2/svc/stats/${id}?period=2d`)).status, 400);
  });

  test("the public service's paths answer alike", async () => {
    const { id } = await freshAccount(journey.service.url);
    const own = await console("GET", `/v2/svc/user/${id}`);
    assert.equal((await console("GET", `/v2/qstash/user/${id}`)).text, own.text);
    assert.equal((await console("POST", `/v2/qstash/rotate-token/${id}`)).status, 200);
  });

  test("without the console's name and password nothing is answered, and no answer may be cached", async () => {
    const { url } = journey.service;
    const right = basic(ADMIN);
    for (const wrong of [
      undefined,
      "Bearer abc",
      "Basic",
      "Basic !!!",
      `${right}x`,
      basic(["admin", "postride"]),
      basic(["", "postrider"]),
      basic(["nobody", ""]),
      basic(["defaultUser", "defaultPassword"]),
    ]) {
      const headers = wrong === undefined ? {} : { Authorization: wrong };
      const answer = await call(url, "GET", "/v2/svc/users", { headers });
      assert.equal(answer.status, 401, wrong);
      assert.match(String(answer.headers["www-authenticate"]), /^Basic /);
      assert.equal(answer.headers["cache-control"], "no-store");
    }
  });

  test("a script of a page gets no challenge, by which the browser would ask for a password", async () => {
    const headers = { "Sec-Fetch-Dest": "empty", "Sec-Fetch-Site": "same-origin" };
    const answer = await call(journey.service.url, "GET", "/v2/svc/users", { headers });
    assert.equal(answer.status, 401);
    assert.doesNotMatch(String(answer.headers["www-authenticate"]), /Basic/);
  });

  test("pages of other sites cannot post", async () => {
    const { id } = await freshAccount(journey.service.url);
    const path = `/v2/svc/suspend/${id}`;
    for (const headers of [
      { Origin: "https://evil.test" },
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site", Origin: journey.service.url },
    ]) {
      assert.equal((await console("POST", path, { headers })).status, 403);
    }
    const form = { "Content-Type": "text/plain" };
    assert.equal((await console("POST", path, { headers: form, body: "{}" })).status, 400);
    assert.equal((await console("GET", `/v2/svc/user/${id}`)).json["active"], true);
    const own = { "Sec-Fetch-Site": "same-origin", Origin: journey.service.url };
    assert.equal((await console("POST", path, { headers: own })).status, 200);
  });

  test("bad input is refused by its name, and nothing is stored", async () => {
    const before = await users();
    for (const [send, name] of [
      [[], "body"],
      [{}, "customer_id"],
      [{ customer_id: "" }, "customer_id"],
      [{ customer_id: "a:b" }, "customer_id"],
      [{ customer_id: "a\u0000b" }, "customer_id"],
      [{ customer_id: "x".repeat(255) }, "customer_id"],
      [{ customer_id: 5 }, "customer_id"],
      [{ customer_id: "a", plan_name: "gold" }, "plan_name"],
      [{ customer_id: "a", plan_name: null }, "plan_name"],
      [{ customer_id: "a", budget: 19 }, "budget"],
      [{ customer_id: "a", budget: "20" }, "budget"],
      [{ customer_id: "a", limits: { max_topics: -1 } }, "max_topics"],
      [{ customer_id: "a", limits: { max_topic: 1 } }, "max_topic"],
      [{ customer_id: "a", limits: [] }, "limits"],
      [{ customer_id: "a", password: "mine" }, "password"],
      [{ customer_id: "defaultUser" }, "customer_id"],
    ] as const) {
      const answer = await console("POST", "/v2/svc/user", { send });
      assert.equal(answer.status, 400, JSON.stringify(send));
      assert.ok((answer.json["error"] as string).startsWith(`${name}: `), answer.text);
    }
    const gold = await console("POST", "/v2/svc/user", {
      send: { customer_id: "a", plan_name: "gold" },
    });
    assert.match(
      gold.json["error"] as string,
      /^plan_name: there is no plan gold; must be one of /,
    );
    const proto = { body: '{"customer_id":"a","__proto__":{"plan_name":"paid"}}' };
    assert.equal((await console("POST", "/v2/svc/user", proto)).status, 400);
    assert.equal((await console("POST", "/v2/svc/user", { body: "{" })).status, 400);
    const huge = { body: JSON.stringify({ customer_id: "x".repeat(100_000) }) };
    assert.equal((await console("POST", "/v2/svc/user", huge)).status, 413);
    assert.deepEqual(await users(), before);
    assert.equal((await console("GET", "/v2/svc/users?count=0")).status, 400);
    assert.equal((await console("GET", "/v2/svc/users?limit=5")).status, 400);
    assert.equal((await console("GET", "/v2/svc/user/a%00b")).status, 400);
    assert.equal((await console("DELETE", "/v2/svc/users")).status, 405);
  });
});

const RECORD_TYPES = {
  customer_id: "string",
  id: "string",
  password: "string",
  token: "string",
  active: "boolean",
  state: "string",
  modifying_state: "string",
  last_plan_upgrade_time: "number",
  type: "string",
  reserved_type: "string",
  reserved_price: "number",
  prod_pack_enabled: "boolean",
  prometheus_enabled: "string",
  region: "string",
  budget: "number",
  created_by: "string",
  creation_time: "number",
  retention: "number",
  timeout: "number",
  max_delay: "number",
} as const;
