/** The proxy's rule closes every route of the console, however its path is written, and no other. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CONSOLE_ROUTES } from "../../src/api/account/console-routes.ts";
import { DASHBOARD_ROUTES } from "../../src/api/http/pages/dashboard-routes.ts";
import { createRouter } from "../../src/api/http/server/router.ts";
import { ROUTES } from "../../src/api/routes.ts";

const FILES = ["docs/guides/production.md", "deploy/compose/nginx.conf"];

for (const file of FILES) {
  test(`the rule in ${file}`, () => {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
    const rules = [...text.matchAll(/location (~\*?) (\S+) \{\s*return 403;\s*\}/g)];
    assert.equal(rules.length, 1);
    const [, kind, pattern] = rules[0]!;
    const rule = new RegExp(pattern!, kind === "~*" ? "i" : "");
    assert.ok(CONSOLE_ROUTES.length > 20);
    const router = createRouter(CONSOLE_ROUTES);
    for (const { method, path } of CONSOLE_ROUTES) {
      const target = path.replace(/\{[^}]+\}/g, "some-id");
      for (const written of spellings(target)) {
        assert.equal(router(method, written).kind, "route", written);
        assert.match(written, rule);
      }
    }
    for (const { path } of [...ROUTES, ...DASHBOARD_ROUTES]) {
      const target = path.replace(/\{[^}]+\}/g, "some-id");
      for (const written of spellings(target)) assert.doesNotMatch(written, rule);
    }
    for (const own of ["/v2/svcs", "/v2/publish/https://example.com/v2/svc/users"]) {
      assert.doesNotMatch(own, rule);
    }
  });
}

/** As the router takes it. */
function spellings(target: string): readonly string[] {
  const mixed = target.replace(/[a-z]/g, (letter, at: number) =>
    at % 2 === 0 ? letter.toUpperCase() : letter,
  );
  return [target, target.toUpperCase(), mixed, `${target}/`];
}
