import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { aMessage } from "../../../test/support/messages.ts";
import type { AttemptReport } from "../../engine/engine-options.ts";

// Colors once shifted the columns, so they are on; the module reads this when it is loaded.
process.env["FORCE_COLOR"] = "1";
delete process.env["NO_COLOR"];
const { attemptLine, logAttempts } = await import("./tail.ts");

const NOW = 1_700_000_000_000;

function line(report: Partial<AttemptReport>, url = "http://127.0.0.1:8080/echo/a?b=1"): string {
  const whole: AttemptReport = {
    message: aMessage({ messageId: "msg_01ABCDEFGHJKMNPQRSTV12345", url, retries: 3 }),
    number: 1,
    status: 200,
    error: undefined,
    durationMs: 5.6,
    verdict: { kind: "delivered" },
    ...report,
  };
  return stripVTControlCharacters(attemptLine(whole, NOW)).slice("00:00:00  ".length);
}

test("a line tells what was sent where, what came back, and what follows", () => {
  assert.match(
    line({}),
    /^msg_01ABCDEFGHJKMNPQRSTV12345 {2}POST \/echo\/a\?b=1 +200 +6 ms {2}delivered$/,
  );
  assert.match(line({ number: 3 }), /delivered at attempt 3$/);
  const retry = { kind: "retry", readyAt: NOW + 12_182 } as const;
  assert.match(line({ status: 500, verdict: retry }), /500 .* retry 1 of 3 in 12 s$/);
  const soon = { kind: "retry", readyAt: NOW + 900 } as const;
  assert.match(line({ number: 2, verdict: soon }), /retry 2 of 3 in 0\.9 s$/);
  const late = { kind: "retry", readyAt: NOW + 1_808_000 } as const;
  assert.match(line({ verdict: late }), /in 30 min$/);
  const refused = { status: 0, error: "connection refused", verdict: { kind: "dead" } } as const;
  assert.match(
    line(refused, "http://a.test/"),
    /– .* dead-lettered \(connection refused: does a\.test listen on port 80\?\)$/,
  );
  assert.match(line({ verdict: { kind: "canceled" } }), /canceled$/);
});

test("what has failed on this machine says what may help", () => {
  const refused = { status: 0, error: "connection refused", verdict: { kind: "dead" } } as const;
  const app = "http://localhost:3000/api";
  assert.match(line(refused, app), /\(connection refused: is your app running on port 3000\?\)$/);
  const unknown = { ...refused, error: "no such host" };
  assert.match(
    line(unknown, "http://exampel.test/"),
    /\(no such host: is exampel\.test spelled right\?\)$/,
  );
  const missing = { status: 404, verdict: { kind: "dead" } } as const;
  assert.match(line(missing, app), /dead-lettered \(is the path right\?\)$/);
  assert.match(line({ status: 500, verdict: { kind: "dead" } }, app), /dead-lettered$/);
});

test("a line has the address of its message, where no terminal makes a link of its id", () => {
  const report = { message: aMessage({ messageId: "msg_1" }), number: 1, status: 200 } as const;
  const rest = { error: undefined, durationMs: 1, verdict: { kind: "delivered" } } as const;
  const shown = stripVTControlCharacters(attemptLine({ ...report, ...rest }, NOW, "http://d.test"));
  assert.match(shown, /delivered {2}http:\/\/d\.test\/messages\/msg_1$/);
});

test("what a terminal would obey, and what is too long, is not shown as it is", () => {
  assert.match(line({}, "http://a.test/\u001b[2J"), /POST a\.test\/%1B\[2J /);
  assert.match(line({}, `http://a.test/${"x".repeat(100)}`), /POST a\.test\/x{27}… /);
});

test("columns begin at the same place, with colors and whatever was sent", () => {
  const slow = { kind: "retry", readyAt: NOW + 900 } as const;
  const far = `http://a-long-name.example.test/${"x".repeat(80)}`;
  const lines = [
    line({}),
    line({ status: 0, durationMs: 899_999, verdict: slow }, far),
    line({ status: 503, verdict: slow }, "http://b.test/"),
  ];
  const columns = lines.map((text) => [
    text.indexOf("POST "),
    /(?<= )(\d{3}|  –)(?= +\d+ ms)/.exec(text)?.index,
    / ms {2}/.exec(text)?.index,
  ]);
  assert.deepEqual(columns[1], columns[0]);
  assert.deepEqual(columns[2], columns[0]);
});

test("the log has neither path nor query", () => {
  const entries: unknown[] = [];
  const record = (_event: string, fields?: object): void => void entries.push(fields);
  logAttempts({ info: record, warn: record, error: record })({
    message: aMessage({ url: "https://a.test/secret?token=x" }),
    number: 1,
    status: 200,
    error: undefined,
    durationMs: 5,
    verdict: { kind: "delivered" },
  });
  assert.match(JSON.stringify(entries), /"origin":"https:\/\/a\.test"/);
  assert.ok(!JSON.stringify(entries).includes("secret"));
});
