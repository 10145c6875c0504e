/** A new message, or one like another with changes. */
import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.tsx";
import type { Publish } from "./commands.ts";
import { publish } from "./publish.ts";

interface SendDialogProps {
  readonly like?: Publish;
  readonly onClose: () => void;
  readonly onSent: (messageId: string) => void;
}

export function SendDialog({ like, onClose, onSent }: SendDialogProps) {
  const [url, setUrl] = useState(like?.url ?? "");
  const [method, setMethod] = useState(like?.method ?? "POST");
  const [headers, setHeaders] = useState(
    textOf(like?.headers ?? [["Content-Type", "application/json"]]),
  );
  const [body, setBody] = useState(like?.body ?? '{\n  "hello": "world"\n}');
  const send = async (): Promise<void> => {
    onSent(await publish({ url: url.trim(), method, headers: headersOf(headers), body }));
  };
  return (
    <Dialog
      title={like === undefined ? "Send a message" : "Edit and send"}
      confirm="Send message"
      cancel="Close"
      isWide
      onConfirm={send}
      onClose={onClose}
    >
      <SendTo url={url} method={method} onUrl={setUrl} onMethod={setMethod} />
      <label class="field">
        <span>Headers, one a line</span>
        <textarea
          class="input"
          rows={3}
          value={headers}
          spellcheck={false}
          onInput={(event) => setHeaders(event.currentTarget.value)}
        />
        <span class="hint">
          <code>Svc-Delay: 10s</code>, <code>Svc-Retries: 5</code> and the others set how it is
          sent.
        </span>
      </label>
      <label class="field">
        <span>Body</span>
        <textarea
          class="input"
          rows={8}
          value={body}
          spellcheck={false}
          onInput={(event) => setBody(event.currentTarget.value)}
        />
      </label>
    </Dialog>
  );
}

interface SendToProps {
  readonly url: string;
  readonly method: string;
  readonly onUrl: (url: string) => void;
  readonly onMethod: (method: string) => void;
}

function SendTo({ url, method, onUrl, onMethod }: SendToProps) {
  return (
    <div class="send-to">
      <label class="field">
        <span>Method</span>
        <select
          class="input"
          value={method}
          onChange={(event) => onMethod(event.currentTarget.value)}
        >
          {METHODS.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>To</span>
        <input
          class="input mono"
          required
          value={url}
          placeholder="https://example.com/hook, or a URL group"
          onInput={(event) => onUrl(event.currentTarget.value)}
        />
      </label>
    </div>
  );
}

function textOf(headers: Publish["headers"]): string {
  return headers.map(([name, value]) => `${name}: ${value}`).join("\n");
}

function headersOf(text: string): [string, string][] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const colonAt = line.indexOf(":");
      if (colonAt < 1)
        throw new Error(`A header is a name, a colon and a value; this line is not: ${line}`);
      return [line.slice(0, colonAt).trim(), line.slice(colonAt + 1).trim()];
    });
}

const METHODS = ["POST", "GET", "PUT", "PATCH", "DELETE"];
