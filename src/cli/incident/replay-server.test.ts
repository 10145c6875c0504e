import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { ReplayServer } from "./replay-server.ts";

const BYTES_MAX = 200;

async function listen(t: TestContext): Promise<{ server: ReplayServer; url: string }> {
  const server = await ReplayServer.listen(0, BYTES_MAX);
  assert.ok(server !== null);
  t.after(() => server.close());
  return { server, url: `http://127.0.0.1:${server.port}/v2/publish/https://example.com/run` };
}

function stepOf(bytes: number): string {
  const step = { stepId: 1, stepName: "a", stepType: "Run", concurrent: 1, out: "" };
  return JSON.stringify({ ...step, out: "x".repeat(bytes - JSON.stringify(step).length) });
}

const HEADERS = { "Svc-Workflow-RunId": "wfr_1", "Svc-Workflow-Url": "https://example.com/run" };

for (const [how, bodyOf] of [
  ["in one piece", (text: string) => text],
  ["in chunks", (text: string) => new Blob([text]).stream()],
] as const) {
  test(`a step is taken up to the limit of bytes, and refused beyond: ${how}`, async (t) => {
    const { server, url } = await listen(t);
    const submit = async (bytes: number): Promise<Response> => {
      const body = bodyOf(stepOf(bytes));
      return fetch(url, { method: "POST", headers: HEADERS, body, duplex: "half" });
    };
    assert.equal((await submit(BYTES_MAX)).status, 200);
    assert.equal(server.take().steps.length, 1);
    for (const bytes of [BYTES_MAX + 1, 1_000_000]) {
      const refused = await submit(bytes);
      assert.equal(refused.status, 413);
      const sentence = `the body is larger than ${BYTES_MAX} bytes`;
      assert.deepEqual(await refused.json(), { error: sentence });
      assert.equal(server.take().steps.length, 0);
    }
  });
}
