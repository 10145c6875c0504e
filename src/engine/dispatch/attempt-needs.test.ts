import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { aMessage, anAccount } from "../../../test/support/messages.ts";
import type { Account } from "../../core/model/account/account.ts";
import { StoreUnavailable } from "../../store/store-unavailable.ts";
import type { EngineOptions } from "../engine-options.ts";
import { attemptNeeds } from "./attempt-needs.ts";

type Fields = Parameters<typeof aMessage>[0];

const ACCOUNT: Account = anAccount({ overrides: { messageBytesMax: 5_000 } });
const RUN = { run: { runId: "wfr_1" } } as unknown as Fields;

function optionsWith(signingKey: () => string | Promise<string>) {
  const clock = new ManualClock();
  const options = { clock, account: () => ACCOUNT, signingKey } as unknown as EngineOptions;
  return { clock, options };
}

test("an answer that is passed on is read up to the account's message size, and no other", async () => {
  const callback = "https://example.test/callback";
  const cases: readonly (readonly [Fields, boolean])[] = [
    [{}, false],
    [{ settings: { callback } } as unknown as Fields, true],
    [{ settings: { failureCallback: callback } } as unknown as Fields, true],
    [{ ...RUN, kind: "step" }, true],
    [{ ...RUN, kind: "failure-call" }, false],
  ];
  for (const [fields, isPassedOn] of cases) {
    const { options } = optionsWith(() => Promise.resolve("sig_test"));
    assert.deepEqual(
      await attemptNeeds(options, aMessage(fields)),
      { signingKey: "sig_test", answerBytesMax: isPassedOn ? 5_000 : undefined },
      JSON.stringify(fields),
    );
  }
});

test("where the store cannot tell the key, the message is given back after a second", async () => {
  const { clock, options } = optionsWith(() => Promise.reject(new StoreUnavailable("away")));
  let needs: unknown;
  const asked = attemptNeeds(options, aMessage()).then((found) => (needs = found));
  await new Promise(setImmediate);
  clock.advance(999);
  await new Promise(setImmediate);
  assert.equal(needs, undefined);
  clock.advance(1);
  await asked;
  assert.equal(needs, null);
});

test("a key that cannot be decrypted is a fault, and not a pause of the store", async () => {
  const { clock, options } = optionsWith(() => Promise.reject(new Error("bad key")));
  const asked = assert.rejects(attemptNeeds(options, aMessage()), /bad key/);
  await new Promise(setImmediate);
  clock.advance(1_000);
  await asked;
});
