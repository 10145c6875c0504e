import assert from "node:assert/strict";
import { createHmac, hash } from "node:crypto";
import { test } from "node:test";

import { OneShotHmac } from "./one-shot-hmac.ts";

test("it is what Node's own HMAC is, for keys and texts of any length", () => {
  for (const keyLength of [0, 1, 32, 63, 64, 65, 200]) {
    const key = "kéy-".repeat(keyLength).slice(0, keyLength);
    const hmac = new OneShotHmac(key, hash);
    for (const text of ["", "a", "header.claims", "ü".repeat(500)]) {
      const expected = createHmac("sha256", key).update(text).digest("hex");
      assert.equal(Buffer.from(hmac.of(text)).toString("hex"), expected, `${keyLength} ${text}`);
    }
  }
});
