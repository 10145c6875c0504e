/** Several named tokens of one account: made, used, shown, expired and revoked. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { freshAccount } from "../support/console-call.ts";
import { eventually } from "../support/eventually.ts";
import { call, type CallAnswer, type CallOptions } from "../support/http-call.ts";
import { journeys } from "../support/journeys.ts";

const PAGE = { "Sec-Fetch-Site": "same-origin" };

/** What only the owner of an account may do. */
const OWNERS: readonly [method: string, path: string, body?: string][] = [
  ["GET", "/v2/account/tokens"],
  ["POST", "/v2/account/tokens", '{"name":"more","scope":"full"}'],
  ["DELETE", "/v2/account/tokens/{id}"],
  ["POST", "/v2/account/rotate-token"],
  ["GET", "/v2/keys"],
  ["HEAD", "/v2/keys"],
  ["POST", "/v2/keys/rotate"],
  ["POST", "/v2/rotate"],
];

interface ShownToken {
  readonly id: string;
  readonly name: string;
  readonly scope: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
}

journeys("named tokens", {}, (journey) => {
  const add = (token: string, fields: unknown): Promise<CallAnswer> =>
    call(journey.service.url, "POST", "/v2/account/tokens", {
      token,
      body: JSON.stringify(fields),
    });
  const list = async (token: string): Promise<readonly ShownToken[]> => {
    const { json } = await call(journey.service.url, "GET", "/v2/account/tokens", { token });
    return json as unknown as readonly ShownToken[];
  };
  /** What a browser sends that has signed in so. */
  const session = async (given: unknown): Promise<CallOptions> => {
    const answer = await call(journey.service.url, "POST", "/v2/session", {
      body: JSON.stringify(given),
      headers: { "Content-Type": "application/json", ...PAGE },
    });
    const [cookie] = answer.headers["set-cookie"] as string[];
    return { headers: { Cookie: cookie!.split(";")[0]!, ...PAGE } };
  };
  const statusWith = async (token: string, method = "GET"): Promise<number> =>
    (await call(journey.service.url, method, "/v2/topics/none", { token })).status;

  test("a token is shown once, and acts within its scope", async () => {
    const { token } = await freshAccount(journey.service.url);
    const full = await add(token, { name: "ci", scope: "full" });
    assert.equal(full.status, 201, full.text);
    assert.equal(full.headers["cache-control"], "no-store");
    const readOnly = await add(token, { name: "a look", scope: "read-only", expiresIn: "30d" });
    const [fullToken, lookToken] = [full, readOnly].map(({ json }) => json["token"] as string);
    assert.deepEqual(
      [await statusWith(fullToken!), await statusWith(fullToken!, "DELETE")],
      [404, 200],
    );
    assert.deepEqual(
      [await statusWith(lookToken!), await statusWith(lookToken!, "DELETE")],
      [404, 403],
    );
    const shown = await list(token);
    assert.deepEqual(
      shown.map(({ name, scope }) => [name, scope]),
      [
        ["main", "full"],
        ["read-only", "read-only"],
        ["ci", "full"],
        ["a look", "read-only"],
      ],
    );
    const { createdAt, expiresAt } = shown[3]!;
    assert.equal(expiresAt! - createdAt, 30 * 86_400_000);
    assert.ok(!JSON.stringify(shown).includes(fullToken!));
  });

  test("the last use of each token is noted", async () => {
    const { token } = await freshAccount(journey.service.url);
    const { json } = await add(token, { name: "used", scope: "full" });
    assert.equal((await list(token)).at(-1)?.lastUsedAt, null);
    const usedAfter = Date.now() - 1_000;
    assert.equal(await statusWith(json["token"] as string), 404);
    const uses = await eventually(async () => {
      const shown = await list(token);
      const [main, readOnly, named] = shown.map(({ lastUsedAt }) => lastUsedAt);
      return named === null ? null : { main, readOnly, named };
    }, "the use of the named token");
    assert.ok(uses.named! >= usedAfter && uses.main! >= usedAfter - 10_000);
    assert.equal(uses.readOnly, null);
  });

  test("a revoked token is refused at once, and no other", async () => {
    const { token } = await freshAccount(journey.service.url);
    const [first, second] = await Promise.all([
      add(token, { name: "first", scope: "full" }),
      add(token, { name: "second", scope: "full" }),
    ]);
    const { id, token: firstToken } = first.json as Record<string, string>;
    assert.equal(await statusWith(firstToken!), 404);
    const revoke = (tokenId: string): Promise<CallAnswer> =>
      call(journey.service.url, "DELETE", `/v2/account/tokens/${tokenId}`, { token });
    assert.equal((await revoke(id!)).status, 200);
    assert.equal(await statusWith(firstToken!), 401);
    assert.equal(await statusWith(second.json["token"] as string), 404);
    const again = await revoke(id!);
    assert.deepEqual([again.status, again.json["error"]], [404, `token ${id} not found`]);
    for (const builtIn of ["main", "read-only"]) {
      assert.match((await revoke(builtIn)).text, /rotate the tokens/);
    }
  });

  test("tokens, rotation and signing keys are for the main token and the password alone", async () => {
    const { url } = journey.service;
    const { token, as, record } = await freshAccount(url);
    const full = await add(token, { name: "ci", scope: "full", expiresIn: "1h" });
    const look = await add(token, { name: "look", scope: "read-only" });
    const replaced = token;
    const rotated = await call(url, "POST", "/v2/account/rotate-token?grace=10m", { token });
    const others = [full.json["token"], look.json["token"], record["read_only_token"], replaced];
    const ways: CallOptions[] = (others as string[]).map((other) => ({ token: other }));
    for (const other of others.slice(0, 2)) ways.push(await session({ token: other }));
    for (const options of ways) {
      for (const [method, path, body] of OWNERS) {
        const target = path.replace("{id}", String(full.json["id"]));
        const answer = await call(url, method, target, { ...options, ...(body && { body }) });
        assert.equal(answer.status, 403, `${method} ${path} ${JSON.stringify(options)}`);
        if (method === "HEAD") continue;
        assert.match(String(answer.json["error"]), /the main token of the account, or a sign-in/);
        assert.equal(answer.json["hint"], undefined);
      }
    }
    const main = rotated.json["token"] as string;
    const password = rotated.json["password"] as string;
    const owner = await session({ name: as[0], password });
    for (const options of [{ token: main }, owner, await session({ token: main })]) {
      assert.equal((await call(url, "GET", "/v2/keys", options)).status, 200);
      assert.equal((await call(url, "POST", "/v2/keys/rotate", options)).status, 200);
      assert.equal((await call(url, "GET", "/v2/account/tokens", options)).status, 200);
    }
    assert.equal((await list(main)).length, 4, "nothing was added or revoked");
  });

  test("rotation replaces the first two tokens, and leaves the named ones", async () => {
    const { token } = await freshAccount(journey.service.url);
    const named = (await add(token, { name: "stays", scope: "full" })).json["token"] as string;
    const rotated = await call(journey.service.url, "POST", "/v2/account/rotate-token", { token });
    assert.equal(rotated.status, 200);
    assert.equal(await statusWith(token), 401);
    assert.equal(await statusWith(named), 404);
  });

  test("an account has fifty named tokens, and the next one is refused with the reason", async () => {
    const { token } = await freshAccount(journey.service.url);
    for (let index = 0; index < 50; index++) {
      assert.equal((await add(token, { name: `t-${index}`, scope: "full" })).status, 201);
    }
    const refused = await add(token, { name: "more", scope: "full" });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /the account has 50 named tokens; revoke one first/);
  });

  test("a bad request names the field and adds nothing", async () => {
    const { token } = await freshAccount(journey.service.url);
    const bad: readonly [unknown, RegExp][] = [
      [{ scope: "full" }, /^name: /],
      [{ name: "", scope: "full" }, /^name: /],
      [{ name: "x".repeat(65), scope: "full" }, /^name: /],
      [{ name: "a", scope: "admin" }, /^scope: /],
      [{ name: "a", scope: "full", expiresIn: 5 }, /^expiresIn: /],
      [{ name: "a", scope: "full", expiresIn: "soon" }, /^expiresIn: /],
      [{ name: "a", scope: "full", expiresIn: "1s" }, /^expiresIn: /],
      [{ name: "a", scope: "full", expires: "1d" }, /expires/],
      [[], /^body: /],
    ];
    for (const [fields, expected] of bad) {
      const answer = await add(token, fields);
      assert.equal(answer.status, 400, JSON.stringify(fields));
      assert.match(answer.json["error"] as string, expected);
    }
    assert.equal((await list(token)).length, 2);
    assert.equal((await add(token, { name: "a", scope: "full" })).status, 201);
    assert.match((await add(token, { name: "a", scope: "full" })).text, /name: another token/);
  });
});
