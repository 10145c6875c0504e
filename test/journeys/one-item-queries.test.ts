/** A change of one item refuses parameters that it would ignore, most of all a dry run. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CONSOLE_ROUTES } from "../../src/api/account/console-routes.ts";
import { ROUTES } from "../../src/api/routes.ts";
import { ADMIN, basic, freshAccount } from "../support/console-call.ts";
import { call } from "../support/http-call.ts";
import { journeys } from "../support/journeys.ts";

journeys("parameters of calls for one item", {}, (journey) => {
  test("a dry run of one message or dead letter is refused, and changes nothing", async () => {
    const { service, destination } = journey;
    const waiting = await service.publish(`${destination.url}/waits`, { "Svc-Delay": "1h" });
    destination.respond = () => ({ status: 500 });
    const dead = await service.publish(`${destination.url}/dies`, { "Svc-Retries": "0" });
    await service.logUntil(dead, "FAILED");
    const [letter] = await service.deadLetters("");
    const dlqId = String(letter!["dlqId"]);
    for (const target of [
      `DELETE /v2/messages/${waiting}`,
      `POST /v2/messages/${waiting}/retry`,
      `DELETE /v2/dlq/${dlqId}`,
      `POST /v2/dlq/retry/${dlqId}`,
      "DELETE /v2/workflows/runs/wfr_none",
    ]) {
      await service.refused(`${target}?dryRun=true`, 400, /dryRun: is only for calls that change/);
      await service.refused(`${target}?dry%52un=1`, 400, /dryRun: is only for calls/);
      await service.refused(`${target}?over=10m`, 400, /over: is not a known parameter/);
    }
    assert.equal((await service.message(waiting))["state"], "CREATED");
    assert.equal((await service.deadLetters("")).length, 1);
    assert.equal((await service.call("DELETE", `/v2/messages/${waiting}`)).status, 200);
    assert.equal((await service.call("DELETE", `/v2/dlq/${dlqId}?order=x`)).status, 200);
  });

  test("every other route that changes something refuses it too, unless it has a parameter of that name", async () => {
    const { service } = journey;
    const changing = ROUTES.filter(
      ({ needs, path }) => (needs === "write" || needs === "owner") && !path.endsWith("...}"),
    );
    assert.ok(changing.length > 30);
    for (const { method, path, query = [] } of changing) {
      if (query.some(({ name }) => name === "dryRun")) continue;
      const target = `${method} ${path.replace(/\{[^}]+\}/g, "none")}?dryRun=true`;
      await service.refused(target, 400, /dryRun: is /);
    }
  });

  test("so does every call of the console", async () => {
    const { service } = journey;
    const { id } = await freshAccount(service.url);
    const changing = CONSOLE_ROUTES.filter(({ method }) => method !== "GET");
    assert.ok(changing.length > 20);
    for (const { method, path } of changing) {
      const target = `${path.replace("{id}", id)}?dryRun=true`;
      const headers = { Authorization: basic(ADMIN) };
      const { status, text } = await call(service.url, method, target, { headers });
      assert.equal(status, 400, `${method} ${target} ${text}`);
      assert.match(text, /dryRun: is /, `${method} ${target}`);
    }
  });
});
