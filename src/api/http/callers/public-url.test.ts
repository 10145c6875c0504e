import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { publicUrlReader } from "./caller-ip.ts";

test("the URL is the setting, else the host of the request", () => {
  const request = { headers: { host: "here.test:81" } } as IncomingMessage;
  assert.deepEqual(publicUrlReader(undefined)(request), { proto: "http", host: "here.test:81" });
  const known = publicUrlReader("https://public.test:8443/path");
  assert.deepEqual(known(request), { proto: "https", host: "public.test:8443" });
  const without = { headers: {} } as IncomingMessage;
  assert.deepEqual(publicUrlReader(undefined)(without), { proto: "http", host: "" });
});
