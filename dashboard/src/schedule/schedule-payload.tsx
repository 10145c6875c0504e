/** What a schedule sends, and how. */
import type { ComponentChildren } from "preact";
import type { Schedule } from "../../../sdk/src/answers/schedule.ts";
import { durationText } from "../app/format.ts";
import { bodyOfBase64, bodyOfText } from "../parts/body-text.ts";
import { CodeView } from "../parts/code-view.tsx";
import { HeaderList } from "../parts/header-list.tsx";
import { Destination } from "./schedules-screen.tsx";

export function SchedulePayload({ schedule }: { readonly schedule: Schedule }) {
  const { method, destination, header = {}, body, bodyBase64, scheduleId } = schedule;
  const type = Object.entries(header).find(([name]) => /^content-type$/i.test(name))?.[1][0];
  return (
    <article class="card">
      <header>
        <h2>What it sends</h2>
      </header>
      <div class="pad">
        <dl class="kv">
          <dt>{method}</dt>
          <dd>
            <Destination method="" destination={destination} />
          </dd>
          {settingsOf(schedule).map(([name, value]) => (
            <>
              <dt key={name}>{name}</dt>
              <dd>{value}</dd>
            </>
          ))}
        </dl>
      </div>
      <HeaderList headers={header} countMax={50} />
      <CodeView
        body={bodyBase64 === undefined ? bodyOfText(body) : bodyOfBase64(bodyBase64)}
        fileName={`${scheduleId}.bin`}
        label="Body"
        type={type}
      />
    </article>
  );
}

function settingsOf(schedule: Schedule): [string, ComponentChildren][] {
  const { retries, retryDelayExpression, delay, timeout, queueName, flowControlKey } = schedule;
  const { labels = [], callback, failureCallback } = schedule;
  const rows: [string, ComponentChildren][] = [
    ["Retries", retries],
    ["Retry delay", retryDelayExpression && <code>{retryDelayExpression}</code>],
    ["Delay", delay && `${durationText(delay * 1_000)} after each tick`],
    ["Timeout", timeout && `${durationText(timeout * 1_000)} per attempt`],
    [
      "Queue",
      queueName && (
        <a class="link" href="/flow">
          {queueName}
        </a>
      ),
    ],
    [
      "Key",
      flowControlKey && (
        <a class="link" href="/flow">
          {flowControlKey}
        </a>
      ),
    ],
    ["Labels", labels.length === 0 ? null : labels.join(", ")],
    ["Callback", callback],
    ["Failure callback", failureCallback],
  ];
  return rows.filter(([, value]) => value !== undefined && value !== null && value !== 0);
}
