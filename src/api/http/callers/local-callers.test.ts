import assert from "node:assert/strict";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { test } from "node:test";
import { callerGuard } from "./local-callers.ts";

type Service = Parameters<typeof callerGuard>[0];

function isAdmitted(headers: IncomingHttpHeaders, service: Partial<Service> = {}): boolean {
  const guard = callerGuard({ mode: "dev", allowRemote: false, publicUrl: undefined, ...service });
  try {
    guard({ headers } as IncomingMessage);
    return true;
  } catch (error) {
    assert.equal((error as { kind: string }).kind, "not-local");
    return false;
  }
}

const LOCAL = "localhost:8080";
const PUBLIC = { publicUrl: "https://public.test" };
const REMOTE = { allowRemote: true };

test("dev answers to names of this machine, and to its public one", () => {
  for (const host of [LOCAL, "127.0.0.1:1", "[::1]:8080", "app.localhost"]) {
    assert.equal(isAdmitted({ host }), true, host);
  }
  for (const host of ["evil.test", "localhost.evil.test", "192.0.2.1", "", "[", "public.test"]) {
    assert.equal(isAdmitted({ host }), false, host);
  }
  assert.equal(isAdmitted({ host: "public.test:443" }, PUBLIC), true);
  assert.equal(isAdmitted({ host: "other.test" }, PUBLIC), false);
  assert.equal(isAdmitted({ host: "evil.test" }, REMOTE), true);
  assert.equal(isAdmitted({}), true);
});

test("dev takes calls of pages of its own alone", () => {
  for (const origin of [`http://${LOCAL}`, "http://localhost:3000", "http://127.0.0.1"]) {
    assert.equal(isAdmitted({ host: LOCAL, origin }), true, origin);
  }
  for (const origin of ["http://evil.test", "null", "", "https://localhost.evil.test"]) {
    assert.equal(isAdmitted({ host: LOCAL, origin }), false, origin);
  }
  assert.equal(isAdmitted({ host: LOCAL, origin: "https://public.test" }, PUBLIC), true);
  const page = { host: "machine.test:8080", origin: "http://machine.test:8080" };
  assert.equal(isAdmitted(page, REMOTE), true);
  assert.equal(isAdmitted({ ...page, origin: "http://machine.test:81" }, REMOTE), false);
  assert.equal(isAdmitted({ ...page, origin: "null" }, REMOTE), false);
  assert.equal(isAdmitted(page), false);
  assert.equal(isAdmitted({ host: LOCAL, origin: "http://machine.test:8080" }, REMOTE), false);
});

const admits = (site: string) => isAdmitted({ host: LOCAL, "sec-fetch-site": site });

test("a page that names no origin is known by its site", () => {
  assert.deepEqual(["cross-site", "same-site", "same-origin", "none"].map(admits), [
    false,
    true,
    true,
    true,
  ]);
});

test("serve leaves it to tokens", () => {
  const foreign = { host: "evil.test", origin: "http://evil.test" };
  assert.equal(isAdmitted(foreign, { mode: "serve" }), true);
});
