/** Counts what an account has, and deletes it once its name is typed. */
import { useEffect, useState } from "preact/hooks";
import type { Account } from "../../../sdk/src/answers/account.ts";
import type { AccountDeletion } from "../answers/account.ts";
import { announce } from "../app/announce.ts";
import { call } from "../app/api.ts";
import { countText } from "../app/format.ts";
import { Dialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { consolePath } from "./account.ts";

interface DeleteAccountDialogProps {
  readonly account: Account;
  readonly onClose: () => void;
}

export function DeleteAccountDialog({ account, onClose }: DeleteAccountDialogProps) {
  const { id, customer_id: name } = account;
  const [counts, setCounts] = useState<AccountDeletion["counts"] | null>(null);
  const [typed, setTyped] = useState("");
  const path = consolePath("user", id);
  useEffect(() => {
    const shown = (found: AccountDeletion): void => setCounts(found.counts);
    call<AccountDeletion>(path, { method: "DELETE", isQuiet: true }).then(shown, () => undefined);
  }, [path]);
  const remove = async (): Promise<void> => {
    if (typed !== name) throw new Error(`Type ${name} to delete it.`);
    await call(`${path}?confirm=${encodeURIComponent(name)}`, { method: "DELETE" });
    announce(`${name} is being deleted.`);
  };
  return (
    <Dialog
      title={`Delete ${name}?`}
      confirm="Delete account"
      cancel="Keep it"
      isDanger
      onConfirm={remove}
      onClose={onClose}
    >
      <p class="soft">
        Its tokens are refused at once, and nothing of it is sent any more. All that it has is
        deleted, and cannot be restored:
      </p>
      <ul class="bullets soft">
        {COUNTED.map(([field, noun]) => (
          <li key={field}>
            <span class="num">{counts === null ? "…" : countText(counts[field])}</span> {noun}
          </li>
        ))}
      </ul>
      <TextField name={`Type ${name} to confirm`} value={typed} onInput={setTyped} />
    </Dialog>
  );
}

const COUNTED = [
  ["messages", "messages"],
  ["runs", "workflow runs"],
  ["dead_letters", "dead letters"],
  ["log_entries", "log entries"],
  ["schedules", "schedules"],
  ["queues", "queues"],
  ["flow_control_keys", "flow-control keys"],
  ["url_groups", "URL groups"],
] as const;
