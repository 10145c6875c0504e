/** A new message, or one like another with changes. */
import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.tsx";
import { AreaField, SelectField, TextField } from "../parts/field.tsx";
import { headerLines, headerPairs } from "../parts/header-lines.ts";
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
    headerLines(like?.headers ?? [["Content-Type", "application/json"]]),
  );
  const [body, setBody] = useState(like?.body ?? '{\n  "hello": "world"\n}');
  const send = async (): Promise<void> => {
    onSent(await publish({ url: url.trim(), method, headers: headerPairs(headers), body }));
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
      <AreaField
        name="Headers, one a line"
        rows={3}
        value={headers}
        onInput={setHeaders}
        hint={
          <>
            <code>Svc-Delay: 10s</code>, <code>Svc-Retries: 5</code> and the others set how it is
            sent.
          </>
        }
      />
      <AreaField name="Body" rows={8} value={body} onInput={setBody} />
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
      <SelectField
        name="Method"
        value={method}
        options={METHODS.map((name) => ({ value: name, words: name }))}
        onInput={onMethod}
      />
      <TextField
        name="To"
        isMono
        value={url}
        placeholder="https://example.com/hook, or a URL group"
        onInput={onUrl}
      />
    </div>
  );
}

const METHODS = ["POST", "GET", "PUT", "PATCH", "DELETE"];
