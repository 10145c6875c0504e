/** What a run was started with, what it returned, and its failure function. */
import type { FailureFunctionLog, Run } from "../../../sdk/src/answers/workflow.ts";
import { call } from "../app/api.ts";
import { isReadOnly } from "../app/session.ts";
import { messageHref } from "../message/message-href.ts";
import { bodyOfText, plainText } from "../parts/body-text.ts";
import { Button } from "../parts/button.tsx";
import { Chip } from "../parts/chip.tsx";
import { CodeView } from "../parts/code-view.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { DestinationText } from "../parts/destination.tsx";
import { announce, announceFailure } from "../app/announce.ts";
import { payloadOf } from "./run-log.ts";

export function RunBodies({ run }: { readonly run: Run }) {
  const { workflowRunResponse: returned, failureFunction, dlqId } = run;
  return (
    <div class="cols c2 stretch">
      <BodyCard title="Started with" text={payloadOf(run)?.out ?? ""} />
      {returned === undefined || returned === "" ? null : (
        <BodyCard title="Returned" text={returned} />
      )}
      {failureFunction === undefined ? null : (
        <FailureCard failure={failureFunction} dlqId={dlqId} />
      )}
    </div>
  );
}

function BodyCard({ title, text }: { readonly title: string; readonly text: string }) {
  const body = bodyOfText(text);
  const copied = plainText(body);
  return (
    <article class="card">
      <header>
        <h2>{title}</h2>
        <div class="acts">
          {copied === null || copied === "" ? null : (
            <CopyButton text={copied} what={title === "Returned" ? "result" : "payload"} />
          )}
        </div>
      </header>
      <CodeView body={body} fileName="payload.bin" label={title} />
    </article>
  );
}

interface FailureCardProps {
  readonly failure: FailureFunctionLog;
  readonly dlqId: string | undefined;
}

function FailureCard({ failure, dlqId }: FailureCardProps) {
  const { state, responseStatus, url, messageId, responseBody = "" } = failure;
  return (
    <article class="card">
      <header>
        <h2>Failure function</h2>
        <Chip state={state} />
        <div class="acts">
          {isReadOnly.value || dlqId === undefined || state !== "CALLBACK_FAIL" ? null : (
            <Button isSmall icon="retry" onPress={() => callAgain(dlqId)}>
              Call again
            </Button>
          )}
        </div>
      </header>
      <ul class="list">
        <li>
          {responseStatus === undefined ? null : (
            <span class={`status ${responseStatus < 300 ? "ok" : "bad"}`}>{responseStatus}</span>
          )}
          <a class="grow cut" href={messageHref({ id: messageId })}>
            <DestinationText method="POST" url={url} />
          </a>
        </li>
      </ul>
      {responseBody === "" ? null : (
        <div class="split-v">
          <CodeView
            body={bodyOfText(responseBody)}
            fileName="answer.bin"
            label="Answer of the failure function"
          />
        </div>
      )}
    </article>
  );
}

async function callAgain(dlqId: string): Promise<void> {
  try {
    await call(`/v2/workflows/dlq/callback/${encodeURIComponent(dlqId)}`, { method: "POST" });
    announce("The failure function is called again.");
  } catch (error) {
    announceFailure("The failure function was not called.", error);
  }
}
