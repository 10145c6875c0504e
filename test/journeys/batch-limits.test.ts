/** What a batch may make of its request: URL groups multiply its messages and its bytes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { journeys } from "../support/journeys.ts";

const LATER = { "Svc-Delay": "1h" };
const STORED_BYTES_MAX = 100_000;
/** Of the plan `paid`. */
const ENDPOINTS = 100;

function item(destination: string, body = "") {
  return { destination, body, headers: LATER };
}

journeys("limits of a batch", { flags: { maxBatchBytes: String(STORED_BYTES_MAX) } }, (journey) => {
  test("its bytes count for each endpoint, and those of all its items together", async () => {
    const { service, destination } = journey;
    await service.addEndpoints(
      "four",
      ...["a", "b", "c", "d"].map((at) => `${destination.url}/${at}`),
    );
    const half = STORED_BYTES_MAX / 8;
    for (const [sizes, fits] of [
      [[2 * half], [true]],
      [[2 * half + 1], [false]],
      [
        [half, half],
        [true, true],
      ],
      [
        [half, half + 1],
        [true, false],
      ],
    ] as const) {
      const answers = await service.batch(sizes.map((bytes) => item("four", "x".repeat(bytes))));
      assert.deepEqual(
        answers.map((answer) => Array.isArray(answer)),
        fits,
        sizes.join(),
      );
      const refused = answers.find((answer) => !Array.isArray(answer));
      if (refused !== undefined) assert.equal(refused["code"], "body-too-large");
    }
    await service.call("DELETE", "/v2/messages");
  });

  test("it makes ten thousand messages at most", async () => {
    const { service, destination } = journey;
    const urls = Array.from({ length: ENDPOINTS }, (_, index) => `${destination.url}/${index}`);
    await service.addEndpoints("hundred", ...urls);
    const groups = Array.from({ length: 100 }, () => item("hundred"));
    const answers = await service.batch([...groups.slice(1), item(urls[0]!), ...groups.slice(1)]);
    const made = answers.flat().filter(({ messageId }) => messageId !== undefined);
    assert.equal(made.length, 9_901);
    assert.match(String(answers.at(-1)?.["error"]), /makes more than 10000 messages/);
    const whole = await service.batch(groups);
    assert.equal(whole.flat().filter(({ messageId }) => messageId !== undefined).length, 10_000);
    await service.call("DELETE", "/v2/messages");
  });

  test("an item takes the default headers of its group", async () => {
    const { service, destination } = journey;
    await service.addEndpoints("defaults", `${destination.url}/defaults`);
    const headers = { headers: { "Svc-Retries": "2", "Svc-Label": "of the group" } };
    await service.call("PATCH", "/v2/topics/defaults", { body: JSON.stringify(headers) });
    const answers = await service.batch([
      item("defaults"),
      { destination: "defaults", headers: { ...LATER, "Svc-Retries": "1" } },
    ]);
    const shown = await Promise.all(
      answers.flat().map(({ messageId }) => service.message(String(messageId))),
    );
    assert.deepEqual(
      shown.map(({ maxRetries, label }) => [maxRetries, label]),
      [
        [2, "of the group"],
        [1, "of the group"],
      ],
    );
    await service.call("DELETE", "/v2/messages");
  });
});
