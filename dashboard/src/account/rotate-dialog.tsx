/** Says what a rotation of credentials does before it is done. */
import { useState } from "preact/hooks";
import { call, noteChanged } from "../app/api.ts";
import { Dialog } from "../parts/dialog.tsx";
import { SelectField } from "../parts/field.tsx";
import type { Issued, IssuedAccount } from "./issued.tsx";
import { secretsOf } from "./issued.tsx";

interface RotateDialogProps {
  /** Whose they are, in a sentence: `your tokens`, `the credentials of ann@acme.example`. */
  readonly whose: string;
  readonly title: string;
  /** The endpoint, without its query. */
  readonly path: string;
  readonly onIssued: (issued: Issued, answer: IssuedAccount) => Promise<void> | void;
  readonly onClose: () => void;
}

export function RotateDialog({ whose, title, path, onIssued, onClose }: RotateDialogProps) {
  const [grace, setGrace] = useState("10m");
  const rotate = async (): Promise<void> => {
    const query = grace === "" ? "" : `?grace=${grace}`;
    // Nothing is read with a session of the old token, which may be over.
    const answer = await call<IssuedAccount>(`${path}${query}`, { method: "POST", isQuiet: true });
    const left = GRACES.find(({ value }) => value === grace)?.words ?? "";
    const note =
      grace === ""
        ? "The old tokens and the old password no longer work."
        : `The old tokens work for ${left} more. The old password does not.`;
    await onIssued({ title, secrets: secretsOf(answer), note }, answer);
    noteChanged(path);
  };
  return (
    <Dialog
      title={`Rotate ${whose}?`}
      confirm="Rotate tokens and password"
      cancel="Keep them"
      isDanger
      onConfirm={rotate}
      onClose={onClose}
    >
      <ul class="bullets soft">
        <li>
          A new full token, a new read-only token and a new password are made, and shown once.
        </li>
        <li>The old password stops at once. Sessions of browsers that began with it end.</li>
        <li>Named tokens and signing keys do not change.</li>
      </ul>
      <SelectField
        name="The old tokens work for"
        value={grace}
        options={GRACES.map(({ value, words }) => ({
          value,
          words: value === "" ? words : `${words} more`,
        }))}
        hint="Long enough to give the new token to every app that uses the old."
        onInput={setGrace}
      />
    </Dialog>
  );
}

const GRACES = [
  { value: "", words: "no longer, they stop at once" },
  { value: "10m", words: "10 minutes" },
  { value: "1h", words: "1 hour" },
  { value: "1d", words: "1 day" },
  { value: "7d", words: "7 days" },
];
