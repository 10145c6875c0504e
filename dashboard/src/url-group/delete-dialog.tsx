/** Deletes a URL group, by itself or with its last endpoint. */
import type { UrlGroup } from "../../../sdk/src/answers/url-group.ts";
import { call } from "../app/api.ts";
import { counted } from "../app/format.ts";
import { Dialog } from "../parts/dialog.tsx";
import { announce } from "../app/announce.ts";
import { groupPath } from "./url-group.ts";

interface DeleteDialogProps {
  readonly group: UrlGroup;
  readonly onClose: () => void;
  /** Leaves the page of the group, where it is shown. */
  readonly onDone?: () => void;
}

export function DeleteDialog({ group, onClose, onDone }: DeleteDialogProps) {
  return (
    <Dialog
      title={`Delete URL group ${group.name}?`}
      confirm={`Delete group and ${counted(group.endpoints.length, "endpoint")}`}
      cancel="Keep it"
      isDanger
      onConfirm={() => remove(group, onDone)}
      onClose={onClose}
    >
      <p class="soft">
        Messages that were published to it are still delivered. Schedules that send to it fail until
        there is a group of that name again.
      </p>
    </Dialog>
  );
}

export function RemoveLastDialog({ group, onClose }: DeleteDialogProps) {
  return (
    <Dialog
      title={`Remove the last endpoint of ${group.name}?`}
      confirm="Remove endpoint and delete group"
      cancel="Keep it"
      isDanger
      onConfirm={() => remove(group)}
      onClose={onClose}
    >
      <p class="soft">
        A group without endpoints does not exist, so the group and its default headers go with it.
      </p>
    </Dialog>
  );
}

async function remove({ name }: UrlGroup, onDone?: () => void): Promise<void> {
  await call(groupPath(name), { method: "DELETE" });
  announce(`URL group ${name} is deleted.`);
  onDone?.();
}
