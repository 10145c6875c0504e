/** A new account: whose it is, and its plan. */
import { useState } from "preact/hooks";
import { call } from "../app/api.ts";
import { type Issued, type IssuedAccount, secretsOf } from "./issued.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { PLANS } from "./limits.ts";

interface NewAccountDialogProps {
  readonly onClose: () => void;
  readonly onMade: (issued: Issued) => void;
}

export function NewAccountDialog({ onClose, onMade }: NewAccountDialogProps) {
  const [customer, setCustomer] = useState("");
  const [plan, setPlan] = useState<string>("free");
  const create = async (): Promise<void> => {
    const answer = await call<IssuedAccount>("/v2/svc/user", {
      method: "POST",
      body: { customer_id: customer.trim(), plan_name: plan },
    });
    onMade({
      title: `New account ${customer.trim()}`,
      secrets: secretsOf(answer),
      note: `Its id is ${answer.id}. It signs in with a token, or with ${customer.trim()} and the password.`,
    });
  };
  return (
    <Dialog
      title="New account"
      confirm="Create account"
      cancel="Close"
      onConfirm={create}
      onClose={onClose}
    >
      <TextField
        name="Customer"
        value={customer}
        placeholder="ann@acme.example"
        hint="A name or an address, without blanks and colons."
        onInput={setCustomer}
      />
      <SelectField name="Plan" value={plan} options={PLAN_OPTIONS} onInput={setPlan} />
    </Dialog>
  );
}

export const PLAN_OPTIONS = PLANS.map((plan) => ({ value: plan, words: plan }));
