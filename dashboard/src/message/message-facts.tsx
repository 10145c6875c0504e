/** The facts of a message in one row. */
import type { Message } from "../../../sdk/src/answers/message.ts";
import { durationText, shortId } from "../app/format.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { Fact, LabelsFact } from "../parts/fact.tsx";
import { Time } from "../parts/time.tsx";

export function MessageFacts({ message }: { readonly message: Message | null }) {
  if (message === null) {
    return (
      <div class="pad" aria-busy="true">
        <svg class="skel" width="70%" aria-hidden="true" />
      </div>
    );
  }
  const {
    messageId,
    createdAt,
    labels = [],
    callerIp,
    timeout,
    maxRetries,
    retryDelayExpression,
  } = message;
  return (
    <dl class="facts">
      <Fact name="Message">
        <span class="row">
          <code class="cut" title={messageId}>
            {shortId(messageId)}
          </code>
          <CopyButton text={messageId} what="message id" />
        </span>
      </Fact>
      <Fact name="Created">
        <Time at={createdAt} form="sentence" />
      </Fact>
      <Origin message={message} />
      <LabelsFact labels={labels} list="/messages" />
      {callerIp === undefined ? null : <Fact name="Sent by">{callerIp}</Fact>}
      {timeout === undefined ? null : (
        <Fact name="Timeout">{durationText(timeout * 1_000)} per attempt</Fact>
      )}
      <Fact name="Retries">
        {maxRetries},{" "}
        {retryDelayExpression === undefined ? (
          "default backoff"
        ) : (
          <>
            after{" "}
            <code title={`${retryDelayExpression} ms`}>
              {/^\d+$/.test(retryDelayExpression)
                ? durationText(Number(retryDelayExpression))
                : `${retryDelayExpression} ms`}
            </code>
          </>
        )}
      </Fact>
    </dl>
  );
}

/** Where it waits, and what made it. */
function Origin({ message }: { readonly message: Message }) {
  const { queueName, flowControlKey, scheduleId, topicName } = message;
  const links: [string, string | undefined, string][] = [
    ["Queue", queueName, "/flow"],
    ["Key", flowControlKey, "/flow"],
    ["Schedule", scheduleId, `/schedules/${encodeURIComponent(scheduleId ?? "")}`],
    ["URL group", topicName, `/groups/${encodeURIComponent(topicName ?? "")}`],
  ];
  return (
    <>
      {links.map(([name, value, href]) =>
        value === undefined ? null : (
          <Fact key={name} name={name}>
            <a class="link" href={href}>
              {value}
            </a>
          </Fact>
        ),
      )}
    </>
  );
}
