/** A new message, or one like another with changes. */
import { useState } from "preact/hooks";
import { bytesText } from "../app/format.ts";
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
    const pairs = headerPairs(headers);
    const kept = { queue: like?.queue, bytes: like?.bytes };
    onSent(await publish({ url: url.trim(), method, headers: pairs, body, ...kept }));
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
      {like?.bytes === undefined ? (
        <AreaField name="Body" rows={8} value={body} onInput={setBody} />
      ) : (
        <p class="soft">Body: binary, {bytesText(like.bytes.byteLength)}, sent again as it was.</p>
      )}
      {like?.queue === undefined ? null : (
        <p class="soft">
          It goes through queue <code>{like.queue}</code>.
        </p>
      )}
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
        hasFocus
        placeholder="https://example.com/hook, or a URL group"
        onInput={onUrl}
      />
    </div>
  );
}

const METHODS = ["POST", "GET", "PUT", "PATCH", "DELETE"];
