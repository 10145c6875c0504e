/** What was sent and what came back, side by side. */
import { useState } from "preact/hooks";
import type { LogEntry, Message } from "../../../sdk/src/answers/message.ts";
import type { HeaderLists } from "../../../sdk/src/answers/words.ts";
import { bytesText, durationText } from "../app/format.ts";
import { type BodyText, bodyOfBase64, bodyOfText, plainText } from "../parts/body-text.ts";
import { CodeSkeleton, CodeView } from "../parts/code-view.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { HeaderList, headerText } from "../parts/header-list.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { errorOf } from "./message-row.ts";

interface MessageBodiesProps {
  readonly message: Message | null;
  /** Of the chosen attempt, once it has ended. */
  readonly entry: LogEntry | null;
  readonly attempt: number | null;
}

export function MessageBodies({ message, entry, attempt }: MessageBodiesProps) {
  const sent =
    message === null
      ? null
      : message.bodyBase64 === undefined
        ? bodyOfText(message.body)
        : bodyOfBase64(message.bodyBase64);
  return (
    <div class="cols c2 stretch">
      <BodyCard
        title="Request"
        note={attempt === null ? "as it was published" : `attempt ${attempt}`}
        body={sent}
        headers={message?.header ?? {}}
        added={sentHeaders(message, attempt)}
        fileName={`${message?.messageId ?? "message"}.bin`}
      />
      <ResponseCard entry={entry} attempt={attempt} isLoading={message === null} />
    </div>
  );
}

interface ResponseCardProps {
  readonly entry: LogEntry | null;
  readonly attempt: number | null;
  readonly isLoading: boolean;
}

function ResponseCard({ entry, attempt, isLoading }: ResponseCardProps) {
  if (entry === null) {
    return (
      <article class="card">
        <header>
          <h2>Response</h2>
        </header>
        {isLoading ? (
          <CodeSkeleton />
        ) : (
          <p class="pad muted">
            {attempt === null ? "Not tried yet." : "The attempt has not ended."}
          </p>
        )}
      </article>
    );
  }
  const { responseStatus, responseHeaders = {}, responseBody, attemptDurationMs } = entry;
  if (responseStatus === undefined) {
    return (
      <article class="card">
        <header>
          <h2>Response</h2>
          <span class="muted">
            {attemptDurationMs === undefined ? "" : durationText(attemptDurationMs)}
          </span>
        </header>
        <p class="pad bad">No answer: {errorOf(entry) ?? "the reason was not kept"}.</p>
      </article>
    );
  }
  const isCut = entry.responseBodyTruncated === true;
  const body = bodyOfBase64(responseBody, isCut);
  const size = body.kind === "text" ? `, ${bytesText(new Blob([body.text]).size)}` : "";
  const note = `${attemptDurationMs === undefined ? "" : durationText(attemptDurationMs)}${size}${isCut ? ", cut" : ""}`;
  return (
    <BodyCard
      title="Response"
      status={responseStatus}
      note={note}
      body={body}
      isCut={isCut}
      headers={responseHeaders}
      fileName={`${entry.messageId}-${entry.attempt}.bin`}
    />
  );
}

interface BodyCardProps {
  readonly title: string;
  readonly note: string;
  readonly status?: number;
  /** Null while it loads. */
  readonly body: BodyText | null;
  readonly isCut?: boolean;
  readonly headers: HeaderLists;
  /** Those that the server adds. */
  readonly added?: HeaderLists;
  readonly fileName: string;
}

function BodyCard(props: BodyCardProps) {
  const { title, note, status, body, isCut, headers, added = {}, fileName } = props;
  const [tab, setTab] = useState<"body" | "headers" | "raw">("body");
  const count = Object.keys(headers).length + Object.keys(added).length;
  const type = Object.entries(headers).find(([name]) => /^content-type$/i.test(name))?.[1][0];
  const text = body === null ? null : plainText(body);
  return (
    <article class="card">
      <header>
        <h2>{title}</h2>
        {status === undefined ? null : (
          <span class={`status ${status < 300 ? "ok" : "bad"}`}>{status}</span>
        )}
        <span class="muted cut">{note}</span>
        <div class="acts">
          {text === null || text === "" ? null : (
            <CopyButton text={text} what={`body of the ${title.toLowerCase()}`} />
          )}
        </div>
      </header>
      <Tabs
        label={title}
        value={tab}
        onChoose={setTab}
        tabs={[
          { name: "body", title: "Body" },
          {
            name: "headers",
            title: (
              <>
                Headers <span class="muted">{body === null ? "" : count}</span>
              </>
            ),
          },
          { name: "raw", title: "Raw" },
        ]}
      />
      {tab === "headers" ? <HeaderList headers={{ ...headers, ...added }} /> : null}
      {tab === "body" && body !== null ? (
        <CodeView
          body={body}
          isCut={isCut}
          type={type}
          fileName={fileName}
          label={`Body of the ${title.toLowerCase()}`}
        />
      ) : null}
      {tab === "body" && body !== null ? <HeaderList headers={headers} countMax={4} /> : null}
      {tab === "raw" && body !== null ? (
        <CodeView
          body={rawOf({ ...headers, ...added }, body)}
          isRaw
          fileName={fileName}
          label={`${title}, raw`}
        />
      ) : null}
      {body === null ? <CodeSkeleton /> : null}
    </article>
  );
}

/** What the server adds to an attempt: the signature is made for it, and never shown. */
function sentHeaders(message: Message | null, attempt: number | null): HeaderLists {
  const added = message?.addedHeader ?? {};
  const prefixes = Object.keys(added).flatMap((name) => /^(.*-)Message-Id$/.exec(name)?.[1] ?? []);
  const own = prefixes.flatMap((prefix): [string, readonly string[]][] => [
    [`${prefix}Retried`, [String((attempt ?? 1) - 1)]],
    [`${prefix}Signature`, ["made for each attempt"]],
  ]);
  return { ...added, ...Object.fromEntries(own) };
}

function rawOf(headers: HeaderLists, body: BodyText): BodyText {
  const text = plainText(body);
  return text === null ? body : { kind: "text", text: `${headerText(headers)}\n\n${text}` };
}
