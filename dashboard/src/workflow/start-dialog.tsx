/** Starts a run of a workflow. */
import { useState } from "preact/hooks";
import type { Triggered } from "../../../sdk/src/answers/workflow.ts";
import { call } from "../app/api.ts";
import { Dialog } from "../parts/dialog.tsx";
import { AreaField, TextField } from "../parts/field.tsx";

interface StartDialogProps {
  readonly url: string;
  readonly onClose: () => void;
  readonly onStarted: (runId: string) => void;
}

export function StartDialog({ url: known, onClose, onStarted }: StartDialogProps) {
  const [url, setUrl] = useState(known);
  const [body, setBody] = useState("{}");
  const [label, setLabel] = useState("");
  const start = async (): Promise<void> => {
    const headers = {
      "Content-Type": "application/json",
      ...(label.trim() === "" ? {} : { "Svc-Label": label.trim() }),
    };
    const { workflowRunId } = await call<Triggered>(`/v2/trigger/${url.trim()}`, {
      method: "POST",
      headers,
      body,
    });
    onStarted(workflowRunId);
  };
  return (
    <Dialog
      title="Start a run"
      confirm="Start a run"
      cancel="Close"
      isWide
      onConfirm={start}
      onClose={onClose}
    >
      <TextField
        name="Workflow"
        isMono
        value={url}
        placeholder="https://example.com/api/workflow"
        onInput={setUrl}
      />
      <TextField name="Label, optional" isOptional value={label} onInput={setLabel} />
      <AreaField name="Payload" rows={8} value={body} onInput={setBody} />
    </Dialog>
  );
}
