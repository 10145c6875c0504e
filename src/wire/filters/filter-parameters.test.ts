import assert from "node:assert/strict";
import { test } from "node:test";
import {
  countUpTo,
  readIdPage,
  readParameters,
  readQuery,
  readValues,
  requireNoFilters,
  requireNoOthers,
  several,
  single,
} from "./filter-parameters.ts";

const ROWS = [single("one", "One."), several("many", "Many.")];
const lenient = (query: string) => Object.fromEntries(readValues(query, ROWS, "lenient"));
const strict = (query: string) => Object.fromEntries(readValues(query, ROWS, "strict"));

test("names are decoded, values are split and trimmed", () => {
  assert.deepEqual(strict("%6Fne=a%20b+c&many=x,%20y%20&many=z"), {
    one: ["a b c"],
    many: ["x", "y", "z"],
  });
  assert.deepEqual(readQuery("a&&b==c"), [
    { name: "a", rawValue: "" },
    { name: "b", rawValue: "=c" },
  ]);
  assert.deepEqual(readQuery(""), []);
});

test("a value without a name is refused in words", () => {
  for (const read of [lenient, strict, requireNoFilters, requireNoOthers]) {
    for (const query of ["=x", "one=a&=", "=="]) {
      assert.throws(() => read(query), { message: "the query has a value without a name" });
    }
  }
});

test("an empty value is refused where something is changed, else it is none", () => {
  assert.deepEqual(lenient("one=&many=,%20"), {});
  assert.throws(() => strict("one="), /one: is empty/);
  assert.deepEqual(strict("many=,a"), { many: ["a"] });
});

test("what is not known is refused, except a few names that clients send to any list", () => {
  assert.deepEqual(lenient("api=1&trimBody=1&groupBy=1&order=1"), {});
  for (const name of ["api", "trimBody", "groupBy", "order"]) {
    assert.throws(() => strict(`${name}=1`), new RegExp(`${name}: is not a known parameter`));
  }
  assert.throws(() => lenient("other=1"), /other: is not a known parameter/);
  assert.throws(() => requireNoFilters("many=1"), /many: is not a known parameter/);
  requireNoFilters("order=1");
});

test("a single value is given once, and is not a control character", () => {
  assert.throws(() => strict("one=a&one=b"), /one: is given twice/);
  assert.throws(() => strict("one=%00"), /one: holds a control character/);
  assert.throws(() => strict("one=%zz"), /one: is not percent-encoded UTF-8/);
  assert.throws(() => strict("%zz=1"), /%zz: is not percent-encoded UTF-8/);
  assert.deepEqual(strict("one=a,b"), { one: ["a,b"] });
});

const repeated = (name: string, count: number) =>
  Array.from({ length: count }, () => `${name}=x`).join("&");

test("there are up to 1,000 values and 2,000 parameters", () => {
  assert.equal(strict(repeated("many", 1_000))["many"]?.length, 1_000);
  assert.throws(() => strict(repeated("many", 1_001)), /many: has more than 1000 values/);
  const list = Array.from({ length: 1_001 }, () => "x").join(",");
  assert.throws(() => strict(`many=${list}`), /many: has more than 1000 values/);
  assert.equal(readQuery(repeated("a", 2_000)).length, 2_000);
  assert.throws(() => readQuery(repeated("a", 2_001)), /more than 2000 parameters/);
});

test("a change of one item has no other parameters", () => {
  requireNoOthers("");
  requireNoOthers("one=1&order=1", ROWS);
  assert.throws(() => requireNoOthers("dryRun=true"), /dryRun: is only for calls that change many/);
  assert.throws(() => requireNoOthers("one=1"), /one: is not a known parameter/);
});

test("a count is from 1 to its most", () => {
  const read = countUpTo(3);
  assert.deepEqual([read("1"), read("3")], [1, 3]);
  for (const given of ["0", "4"]) assert.throws(() => read(given), /must be from 1 to 3/);
  assert.deepEqual(readParameters("", ROWS), {});
});

test("a page of ids begins after one of them", () => {
  assert.deepEqual(readIdPage(""), { after: "", count: null });
  assert.deepEqual(readIdPage("after=a&count=1&order=x"), { after: "a", count: 1 });
  assert.throws(() => readIdPage("count=0"), /count: must be at least 1/);
  assert.throws(() => readIdPage("after=a%20b"), /after: must be 1 to 128 letters/);
});
