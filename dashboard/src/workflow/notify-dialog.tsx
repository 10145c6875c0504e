/** Sends an event to the run that waits for it. */
import { useState } from "preact/hooks";
import { call } from "../app/api.ts";
import { Dialog } from "../parts/dialog.tsx";
import { announce } from "../app/announce.ts";

interface NotifyDialogProps {
  readonly runId: string;
  readonly eventId: string;
  readonly onClose: () => void;
}

export function NotifyDialog({ runId, eventId, onClose }: NotifyDialogProps) {
  const [data, setData] = useState("");
  const path = notifyPath(runId, eventId);
  return (
    <Dialog
      title={`Notify the run of “${eventId}”`}
      confirm="Notify"
      cancel="Close"
      onConfirm={async () => {
        await call(path, { method: "POST", body: data });
        announce(`The run was notified of “${eventId}”.`);
      }}
      onClose={onClose}
    >
      <p class="soft">Only this run goes on. Others that wait for the same event keep waiting.</p>
      <label class="field">
        <span>Data of the event, optional</span>
        <textarea
          class="input"
          rows={5}
          value={data}
          spellcheck={false}
          placeholder='{"packed":true}'
          onInput={(event) => setData(event.currentTarget.value)}
        />
      </label>
    </Dialog>
  );
}

export function notifyPath(runId: string, eventId: string): string {
  return `/v2/notify/${encodeURIComponent(runId)}/${encodeURIComponent(eventId)}`;
}
