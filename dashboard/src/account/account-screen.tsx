/** For the operator: one account, its plan, limits and counts. What it sends is not shown. */
import { useState } from "preact/hooks";
import type { Account } from "../../../sdk/src/answers/account.ts";
import { call } from "../app/api.ts";
import { useKeys } from "../app/keys.ts";
import { useResource } from "../app/resource.ts";
import { navigate } from "../app/router.ts";
import type { ScreenProps } from "../app/screen-props.ts";
import { type Issued, IssuedCard } from "./issued.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { Blank } from "../parts/blank.tsx";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { SelectField } from "../parts/field.tsx";
import { OverflowMenu } from "../parts/overflow-menu.tsx";
import { LoadProblem } from "../parts/load-problem.tsx";
import { Time } from "../parts/time.tsx";
import { announce } from "../app/announce.ts";
import { Bar } from "../shell/bar.tsx";
import { CommonNotices } from "../shell/shell.tsx";
import { AccountChip } from "./account-columns.tsx";
import { consolePath, planOf, setAccountPaused, stateOf } from "./account.ts";
import { DeleteAccountDialog } from "./delete-account-dialog.tsx";
import { AccountDays } from "./account-days.tsx";
import { LimitsCard } from "./limits-card.tsx";
import { PLAN_OPTIONS } from "./new-account-dialog.tsx";

export function AccountScreen({ id }: ScreenProps) {
  const account = useResource<Account>(consolePath("user", id), 30_000);
  const [issued, setIssued] = useState<Issued | null>(null);
  useKeys({ Escape: () => navigate("/accounts") });
  if (account.isMissing) return <Gone id={id} />;
  const { value } = account;
  return (
    <>
      <Bar
        title={value?.customer_id ?? id}
        parent={{ name: "Accounts", href: "/accounts" }}
        beside={value === null ? null : <AccountChip isBig account={value} />}
      >
        {value === null || stateOf(value) === "deleting" ? null : (
          <AccountActions account={value} onIssued={setIssued} />
        )}
      </Bar>
      <div class="body">
        <CommonNotices />
        <LoadProblem of={account} what="the account" />
        {issued === null ? null : <IssuedCard issued={issued} onCopied={() => setIssued(null)} />}
        {value === null ? null : (
          <>
            <div class="card">
              <AccountFacts account={value} />
            </div>
            <div class="cols c2">
              <LimitsCard account={value} />
              <AccountDays account={value} />
            </div>
          </>
        )}
      </div>
    </>
  );
}

function AccountFacts({ account }: { readonly account: Account }) {
  const { id, created_by, creation_time, budget, dialect, limit_overrides } = account;
  const facts: [string, unknown][] = [
    ["Account", <code key="id">{id}</code>],
    ["Plan", planOf(account)],
    ["Own limits", Object.keys(limit_overrides).length],
    ["Budget", budget === 0 ? "no limit" : `${budget} dollars a month`],
    ["Headers", dialect ?? "as the server"],
    ["Created", <Time key="at" at={creation_time * 1_000} form="sentence" />],
    ["By", created_by === "" ? "the server" : created_by],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value as string}</dd>
        </div>
      ))}
    </dl>
  );
}

interface AccountActionsProps {
  readonly account: Account;
  readonly onIssued: (issued: Issued) => void;
}

function AccountActions({ account, onIssued }: AccountActionsProps) {
  const { id, customer_id: name, paused } = account;
  const [asked, ask] = useState<"rotate" | "suspend" | "plan" | "delete" | null>(null);
  const isSuspended = stateOf(account) === "suspended";
  const close = (): void => ask(null);
  return (
    <>
      <Button
        kind={isSuspended ? "" : "danger"}
        icon={isSuspended ? "play" : "lock"}
        onPress={() => ask("suspend")}
      >
        {isSuspended ? "Activate…" : "Suspend…"}
      </Button>
      <Button icon={paused ? "play" : "pause"} onPress={() => setAccountPaused(account, !paused)}>
        {paused ? "Resume deliveries" : "Pause deliveries"}
      </Button>
      <Button kind="danger" icon="trash" class="hide-m" onPress={() => ask("delete")}>
        Delete…
      </Button>
      <Button icon="retry" class="hide-m" onPress={() => ask("rotate")}>
        Rotate…
      </Button>
      <Button kind="primary" icon="edit" onPress={() => ask("plan")}>
        Change plan
      </Button>
      <OverflowMenu
        items={[
          { name: "Rotate…", icon: "retry", onPress: () => ask("rotate") },
          { name: "Delete…", icon: "trash", onPress: () => ask("delete") },
        ]}
      />
      {asked === "plan" ? <PlanDialog account={account} onClose={close} /> : null}
      {asked === "suspend" ? <SuspendDialog account={account} onClose={close} /> : null}
      {asked === "delete" ? <DeleteAccountDialog account={account} onClose={close} /> : null}
      {asked === "rotate" ? (
        <RotateDialog
          whose={`the credentials of ${name}`}
          title={`New credentials of ${name}`}
          path={consolePath("rotate-token", id)}
          onClose={close}
          onIssued={onIssued}
        />
      ) : null}
    </>
  );
}

interface AskedProps {
  readonly account: Account;
  readonly onClose: () => void;
}

function SuspendDialog({ account, onClose }: AskedProps) {
  const { id, customer_id: name } = account;
  const isSuspended = stateOf(account) === "suspended";
  const change = async (): Promise<void> => {
    await call(consolePath(isSuspended ? "activate" : "suspend", id), { method: "POST" });
    announce(`${name} is ${isSuspended ? "active again" : "suspended"}.`);
  };
  return (
    <Dialog
      title={isSuspended ? `Activate ${name}?` : `Suspend ${name}?`}
      confirm={isSuspended ? "Activate account" : "Suspend account"}
      cancel="Keep it as it is"
      isDanger={!isSuspended}
      onConfirm={change}
      onClose={onClose}
    >
      <p class="soft">
        {isSuspended
          ? "Its tokens are accepted again, and the messages that waited are sent."
          : "Its tokens are refused with 403, its deliveries wait, and its schedules do not run. Nothing is lost. To stop only its deliveries, pause them."}
      </p>
    </Dialog>
  );
}

function PlanDialog({ account, onClose }: AskedProps) {
  const { id, customer_id: name } = account;
  const [plan, setPlan] = useState(planOf(account));
  const change = async (): Promise<void> => {
    await call(consolePath("set-plan", id), { method: "POST", body: { plan_name: plan } });
    announce(`${name} is on plan ${plan}.`);
  };
  return (
    <Dialog
      title={`Plan of ${name}`}
      confirm="Change plan"
      cancel="Close"
      onConfirm={change}
      onClose={onClose}
    >
      <SelectField
        name="Plan"
        value={plan}
        options={PLAN_OPTIONS}
        hint="Limits that you set for the account itself stay as they are."
        onInput={setPlan}
      />
    </Dialog>
  );
}

function Gone({ id }: { readonly id: string }) {
  return (
    <>
      <Bar title="Account" parent={{ name: "Accounts", href: "/accounts" }} />
      <div class="body">
        <div class="card">
          <Blank icon="users" title="This account is not here">
            <span class="soft">
              There is no account <code>{id}</code>.
            </span>
            <a class="btn s" href="/accounts">
              See all accounts
            </a>
          </Blank>
        </div>
      </div>
    </>
  );
}
