/** One message: what it is, its attempts, what was sent and answered, and its log. */
import { useState } from "preact/hooks";
import type { LogPage, Message } from "../../../sdk/src/answers/message.ts";
import { call } from "../app/api.ts";
import { destinationOf } from "../app/format.ts";
import { useKeys } from "../app/keys.ts";
import { useLive } from "../app/live.ts";
import { type Resource, useResource } from "../app/resource.ts";
import { navigate } from "../app/router.ts";
import type { ScreenProps } from "../app/screen-props.ts";
import { Blank } from "../parts/blank.tsx";
import { Chip, ChipSkeleton } from "../parts/chip.tsx";
import { UrlText } from "../parts/destination.tsx";
import { announce, announceFailure } from "../app/announce.ts";
import { Bar } from "../shell/bar.tsx";
import { CommonNotices } from "../shell/shell.tsx";
import { WhyHeld } from "./held-by.tsx";
import { MessageActions } from "./message-actions.tsx";
import { MessageAttempts } from "./message-attempts.tsx";
import { MessageBodies } from "./message-bodies.tsx";
import { MessageCallbacks } from "./message-callbacks.tsx";
import { MessageFacts } from "./message-facts.tsx";
import { MessageLog } from "./message-log.tsx";
import { lifeOf, type MessageLife } from "./message-life.ts";
import { waitingOf, rowOfMessage } from "./message-row.ts";
import { second } from "../app/clock.ts";

export function MessageScreen({ id }: ScreenProps) {
  const path = `/v2/messages/${encodeURIComponent(id)}`;
  const message = useResource<Message>(path, 15_000);
  const log = useResource<LogPage>(
    `/v2/logs?messageId=${encodeURIComponent(id)}&count=1000`,
    15_000,
  );
  useLive((entries) => {
    if (!entries.some(({ messageId }) => messageId === id)) return;
    message.reload();
    log.reload();
  }, true);
  useKeys({ Escape: () => navigate("/messages") });
  if (message.isMissing) return <Gone id={id} />;
  return <Loaded id={id} message={message} log={log} />;
}

interface LoadedProps {
  readonly id: string;
  readonly message: Resource<Message>;
  readonly log: Resource<LogPage>;
}

function Loaded({ id, message, log }: LoadedProps) {
  const facts = message.value;
  const entries = log.value?.logs ?? [];
  const life = facts === null ? null : lifeOf(entries, facts);
  const [picked, setPicked] = useState<number | null>(null);
  const chosen = picked ?? life?.attempts.at(-1)?.number ?? null;
  const step = (by: number): void => {
    const numbers = life?.attempts.map(({ number }) => number) ?? [];
    const at = numbers.indexOf(chosen ?? -1);
    setPicked(numbers[Math.max(0, Math.min(numbers.length - 1, at + by))] ?? null);
  };
  useKeys({ "[": () => step(-1), "]": () => step(1) });
  const title = facts === null ? "Message" : titleOf(facts);
  return (
    <>
      <Bar
        title={title}
        heading={facts === null ? title : <UrlText url={facts.url} before={`${facts.method} `} />}
        parent={{ name: "Messages", href: "/messages" }}
        beside={
          facts === null || life === null ? (
            <ChipSkeleton />
          ) : (
            <StateChip message={facts} life={life} />
          )
        }
      >
        {facts === null || life === null ? null : <MessageActions message={facts} life={life} />}
      </Bar>
      <div class="body">
        <CommonNotices />
        <div class="card">
          <MessageFacts message={facts} />
          {life === null ? null : (
            <MessageAttempts
              life={life}
              wait={facts?.waiting}
              chosen={chosen}
              onChoose={setPicked}
              onRetryNow={() => retryNow(id)}
            />
          )}
          <WhyHeld wait={facts?.waiting} />
        </div>
        <MessageBodies
          message={facts}
          entry={chosen === null ? null : (life?.answers.get(chosen) ?? null)}
          attempt={chosen}
        />
        <div class="cols c2">
          <MessageLog log={log} />
          <MessageCallbacks id={id} message={facts} />
        </div>
      </div>
    </>
  );
}

function titleOf({ method, url }: Message): string {
  const { host, path } = destinationOf(url);
  return `${method} ${host}${path}`;
}

function StateChip({ message, life }: { readonly message: Message; readonly life: MessageLife }) {
  const row = { ...rowOfMessage(message), state: life.state, nextAt: life.nextAt };
  return (
    <Chip isBig state={life.state} waiting={message.waiting ?? waitingOf(row, [], second.peek())} />
  );
}

async function retryNow(id: string): Promise<void> {
  try {
    await call(`/v2/messages/${encodeURIComponent(id)}/retry`, { method: "POST" });
    announce("The next attempt is due now.");
  } catch (error) {
    announceFailure("The message was not made due.", error);
  }
}

function Gone({ id }: { readonly id: string }) {
  return (
    <>
      <Bar title="Message" parent={{ name: "Messages", href: "/messages" }} />
      <div class="body">
        <CommonNotices />
        <div class="card">
          <Blank title="This message is not here">
            <span class="soft">
              <code>{id}</code> is unknown, of another account, or older than the log is kept.
            </span>
            <a class="btn s" href="/messages">
              See all messages
            </a>
          </Blank>
        </div>
      </div>
    </>
  );
}
