import assert from "node:assert/strict";
import { test } from "node:test";
import { errorMessage } from "./callback-payload.ts";

const of = (text: string) => errorMessage(new TextEncoder().encode(text));

test("the message of an error is found though its stack is cut", () => {
  assert.equal(of('{"error":"Error","message":"no luck","stack":"Error: no lu'), "no luck");
  assert.equal(of(' {\n "message" : "no luck" , "stack": "Err'), "no luck");
  assert.equal(of('{"message":""'), "");
});

test("escaped characters belong to the message", () => {
  const message = 'a "quoted" \\ path\\\n“unicode”';
  const body = JSON.stringify({ error: "E\\", message, stack: "" });
  assert.equal(of(body.slice(0, -4)), message);
});

test("a message that is cut, or not a text, is none", () => {
  assert.equal(of('{"error":"Error","message":"no lu'), undefined);
  assert.equal(of('{"error":"Error","message":"no luck\\"'), undefined);
  assert.equal(of('{"error":"Error","message":7,"stack":"'), undefined);
  assert.equal(of('{"error":"Error","mess'), undefined);
});

test("what is not the JSON of an error has no message", () => {
  for (const text of ["", "<html>", '"message"', '[{"message":"no"}', '{"message" "no"}', "{,"]) {
    assert.equal(of(text), undefined, text);
  }
  assert.equal(of('{"cause":{"message":"inner"},"stack":"'), undefined);
  assert.equal(of('{"message":"bad \\x escape","stack":"'), undefined);
});
