/** The limits of an account: those of its plan, and those that were set for it alone. */
import { useState } from "preact/hooks";
import type { Account } from "../../../sdk/src/answers/account.ts";
import { call } from "../app/api.ts";
import { countText } from "../app/format.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { Segmented } from "../parts/segmented.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { announce } from "../app/announce.ts";
import { LIMITS, type LimitRow } from "./limits.ts";
import { consolePath, NO_LIMIT, planOf } from "./account.ts";

interface LimitsCardProps {
  readonly account: Account;
}

interface Limit extends LimitRow {
  readonly value: number;
  readonly isOwn: boolean;
}

export function LimitsCard({ account }: LimitsCardProps) {
  const [edited, edit] = useState<Limit | null>(null);
  return (
    <article class="card">
      <header>
        <h2>Limits</h2>
        <span class="muted hide-s">of plan {planOf(account)}, unless set for this account</span>
      </header>
      <Table
        label="Limits"
        hasKeys={false}
        columns={[...COLUMNS, actionColumn(edit)]}
        rows={limitsOf(account)}
        keyOf={({ name }) => name}
      />
      {edited === null ? null : (
        <LimitDialog account={account} limit={edited} onClose={() => edit(null)} />
      )}
    </article>
  );
}

function limitsOf(account: Account): Limit[] {
  const values = account as unknown as Readonly<Record<string, number>>;
  return LIMITS.map((row) => ({
    ...row,
    value: values[row.name] ?? NO_LIMIT,
    isOwn: row.name in account.limit_overrides,
  }));
}

function valueText({ value, text = countText }: Limit): string {
  return value >= NO_LIMIT ? "no limit" : text(value);
}

const COLUMNS: readonly Column<Limit>[] = [
  {
    head: "Limit",
    class: "full",
    cell: ({ name, words }) => <span title={name}>{words}</span>,
  },
  {
    head: "Value",
    width: 130,
    class: "r num",
    cell: (limit) => (
      <span class="row tail-end">
        {limit.isOwn ? <span class="tag">set</span> : null}
        {valueText(limit)}
      </span>
    ),
  },
];

function actionColumn(onEdit: (limit: Limit) => void): Column<Limit> {
  return {
    head: <span class="sr">Actions</span>,
    width: 56,
    class: "r end",
    cell: (limit) => (
      <Button
        isSmall
        kind="quiet"
        icon="edit"
        label={`Change ${limit.name}`}
        onPress={() => onEdit(limit)}
      />
    ),
  };
}

interface LimitDialogProps {
  readonly account: Account;
  readonly limit: Limit;
  readonly onClose: () => void;
}

type How = "plan" | "own" | "none";

function LimitDialog({ account, limit, onClose }: LimitDialogProps) {
  const { name, words, hint, value, isOwn, mayBeNone = false } = limit;
  const [how, setHow] = useState<How>(!isOwn ? "plan" : value >= NO_LIMIT ? "none" : "own");
  const [number, setNumber] = useState(value >= NO_LIMIT ? "" : String(value));
  const save = async (): Promise<void> => {
    const wanted = how === "plan" ? null : how === "none" ? NO_LIMIT : Number(number);
    await call(consolePath("update-limits", account.id), {
      method: "PATCH",
      body: { [name]: wanted },
    });
    announce(`The limit of ${account.customer_id} is changed.`);
  };
  return (
    <Dialog
      title={`${words}, ${account.customer_id}`}
      confirm="Change limit"
      cancel="Close"
      onConfirm={save}
      onClose={onClose}
    >
      <div>
        <Segmented
          label="Limit"
          value={how}
          options={[
            { value: "plan", name: `As in plan ${planOf(account)}` },
            { value: "own", name: "Own value" },
            ...(mayBeNone ? [{ value: "none" as const, name: "No limit" }] : []),
          ]}
          onChoose={setHow}
        />
      </div>
      {how === "own" ? (
        <TextField
          name={hint === undefined ? "Value" : `Value, ${hint}`}
          value={number}
          least={0}
          onInput={setNumber}
        />
      ) : null}
      <p class="hint">
        The API calls it <code>{name}</code>.
      </p>
    </Dialog>
  );
}
