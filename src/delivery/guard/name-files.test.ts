import assert from "node:assert/strict";
import { test } from "node:test";
import { addressesIn, candidatesOf, readSearch } from "./name-lookup.ts";

const HOSTS = `
127.0.0.1  localhost loopback # Me
  10.0.0.1\tDb.Test. other
::1 localhost
nonsense db.test
10.0.0.2 db.test.example
#10.0.0.3 db.test
10.0.0.4
`;

test("a hosts file has every address of a name, in any case", () => {
  assert.deepEqual(addressesIn(HOSTS, "localhost"), ["127.0.0.1", "::1"]);
  assert.deepEqual(addressesIn(HOSTS, "DB.test"), ["10.0.0.1"]);
  assert.deepEqual(addressesIn(HOSTS, "db.test."), ["10.0.0.1"]);
  assert.deepEqual(addressesIn(HOSTS, "me"), []);
  assert.deepEqual(addressesIn(HOSTS, "10.0.0.4"), []);
});

test("the last line of each kind says how names are completed", () => {
  assert.deepEqual(readSearch(""), { domains: [], dotsMin: 1 });
  const text = "domain old.test\nsearch a.test b.test ; c.test\noptions timeout:1 ndots:3 rotate\n";
  assert.deepEqual(readSearch(text), { domains: ["a.test", "b.test"], dotsMin: 3 });
  assert.deepEqual(readSearch(`${text}domain new.test`).domains, ["new.test"]);
  assert.equal(readSearch(`${text}options rotate`).dotsMin, 3);
  assert.equal(readSearch("options ndots:99").dotsMin, 15);
  assert.equal(readSearch("options ndots:0").dotsMin, 0);
  assert.equal(readSearch("options ndots:100 ndots:x").dotsMin, 1);
  assert.equal(readSearch("search 1 2 3 4 5 6 7").domains.length, 6);
  assert.deepEqual(readSearch("nameserver a.test\nndots:5"), { domains: [], dotsMin: 1 });
});

test("a name with few dots is completed first, and a whole one never", () => {
  const search = { domains: ["A.test.", "b.test"], dotsMin: 2 };
  assert.deepEqual(candidatesOf("db", search), ["db.a.test", "db.b.test", "db"]);
  assert.deepEqual(candidatesOf("db.x", search), ["db.x.a.test", "db.x.b.test", "db.x"]);
  assert.deepEqual(candidatesOf("db.x.y", search), ["db.x.y", "db.x.y.a.test", "db.x.y.b.test"]);
  assert.deepEqual(candidatesOf("db.", search), ["db"]);
});
