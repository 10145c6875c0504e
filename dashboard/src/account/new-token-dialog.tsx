/** A token for one purpose: its name, what it may do, and when it ends. */
import { useState } from "preact/hooks";
import type { AddedToken } from "../../../sdk/src/answers/account.ts";
import { call } from "../app/api.ts";
import { Dialog } from "../parts/dialog.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { Segmented } from "../parts/segmented.tsx";
import type { Issued } from "./issued.tsx";

interface NewTokenDialogProps {
  readonly onClose: () => void;
  readonly onMade: (issued: Issued) => void;
}

export function NewTokenDialog({ onClose, onMade }: NewTokenDialogProps) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<"full" | "read-only">("read-only");
  const [expiresIn, setExpiresIn] = useState("30d");
  const make = async (): Promise<void> => {
    const body = {
      name: name.trim(),
      scope,
      ...(expiresIn === "" ? {} : { expiresIn }),
    };
    const { token } = await call<AddedToken>("/v2/account/tokens", { method: "POST", body });
    const ends = LIVES.find(({ value }) => value === expiresIn)?.words ?? "";
    onMade({
      title: `New token ${name.trim()}`,
      secrets: [{ name: "Token", value: token }],
      note: `It ${scope === "full" ? "may do everything" : "sees all and changes nothing"}, and ${expiresIn === "" ? "does not end by itself" : `ends in ${ends}`}.`,
    });
  };
  return (
    <Dialog
      title="New token"
      confirm="Make token"
      cancel="Close"
      onConfirm={make}
      onClose={onClose}
    >
      <TextField
        name="Name"
        value={name}
        placeholder="ci, wall screen, Ann's laptop"
        onInput={setName}
      />
      <div class="field">
        <span>It may</span>
        <div>
          <Segmented
            label="It may"
            value={scope}
            options={[
              { value: "read-only", name: "See all, change nothing" },
              { value: "full", name: "Do everything" },
            ]}
            onChoose={setScope}
          />
        </div>
      </div>
      <SelectField name="Ends in" value={expiresIn} options={LIVES} onInput={setExpiresIn} />
    </Dialog>
  );
}

const LIVES = [
  { value: "1d", words: "1 day" },
  { value: "7d", words: "7 days" },
  { value: "30d", words: "30 days" },
  { value: "90d", words: "90 days" },
  { value: "365d", words: "1 year" },
  { value: "", words: "Never" },
];
