/** A new queue, or the limit of one. */
import { useState } from "preact/hooks";
import type { Queue } from "../../../sdk/src/answers/line.ts";
import { Dialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { announce, announceFailure } from "../app/announce.ts";
import { saveQueue } from "./line.ts";

interface QueueDialogProps {
  /** Absent when it is new. */
  readonly queue?: Queue;
  readonly onClose: () => void;
}

export function QueueDialog({ queue, onClose }: QueueDialogProps) {
  const [name, setName] = useState(queue?.name ?? "");
  const [parallelism, setParallelism] = useState(String(queue?.parallelism ?? 1));
  const save = async (): Promise<void> => {
    await saveQueue(name.trim(), Number(parallelism), queue?.paused ?? false);
    const undo = queue === undefined ? undefined : () => void restore(queue);
    announce(
      queue === undefined
        ? `Queue ${name.trim()} is created.`
        : `Queue ${name} sends ${parallelism} at a time.`,
      undo,
    );
  };
  return (
    <Dialog
      title={queue === undefined ? "New queue" : `Limit of ${queue.name}`}
      confirm={queue === undefined ? "Create queue" : "Set limit"}
      cancel="Close"
      onConfirm={save}
      onClose={onClose}
    >
      {queue === undefined ? (
        <TextField name="Name" value={name} placeholder="orders" onInput={setName} />
      ) : null}
      <TextField
        name="Messages at a time"
        value={parallelism}
        least={1}
        hint="With 1 they arrive strictly one after the other. A message holds its slot until it has ended, its retries and callbacks too."
        onInput={setParallelism}
      />
    </Dialog>
  );
}

async function restore({ name, parallelism, paused }: Queue): Promise<void> {
  try {
    await saveQueue(name, parallelism, paused);
  } catch (error) {
    announceFailure(`The limit of ${name} was not set back.`, error);
  }
}
