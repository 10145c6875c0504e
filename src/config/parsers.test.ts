import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDatabaseUrl } from "./parsers.ts";

test("a comma in the password does not make several hosts", () => {
  for (const url of [
    "postgres://user:p,w@host/db",
    "postgres://user:p,w@host:5432/db?application_name=a,b",
    "postgres://us,er@/db?host=/run/postgresql",
    "postgres://host/d,b",
  ]) {
    assert.equal(parseDatabaseUrl(url), url);
  }
  for (const url of [
    "postgres://one,two/db",
    "postgres://user:p,w@one:5432,two:5432/db",
    "postgresql://user:p@w@one,two",
  ]) {
    assert.throws(() => parseDatabaseUrl(url), /must name one host/, url);
  }
});
