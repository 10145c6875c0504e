/** An account as a row of the operator's list. */
import { useState } from "preact/hooks";
import type { Account } from "../../../sdk/src/answers/account.ts";
import type { AccountStats } from "../answers/account.ts";
import { second } from "../app/clock.ts";
import { countText } from "../app/format.ts";
import { useResource } from "../app/resource.ts";
import type { Issued } from "./issued.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { Button } from "../parts/button.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Meter } from "../parts/meter.tsx";
import type { Column } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import {
  accountHref,
  consolePath,
  NO_LIMIT,
  planOf,
  setAccountPaused,
  stateOf,
} from "./account.ts";

export function accountColumns(onIssued: (issued: Issued) => void): Column<Account>[] {
  return [
    {
      head: "Customer",
      class: "full",
      cell: ({ id, customer_id }) => (
        <span class="row">
          <a class="cut" href={accountHref(id)} title={customer_id}>
            <b>{customer_id}</b>
          </a>
          {id === customer_id ? null : (
            <span class="id hide-m cut spare" title={id}>
              {id}
            </span>
          )}
        </span>
      ),
    },
    { head: "Plan", width: 130, class: "soft", cell: planOf },
    { head: "State", width: 130, cell: (account) => <AccountChip account={account} /> },
    {
      head: "Messages today",
      width: 230,
      class: "mtr",
      cell: (account) => <Today account={account} />,
    },
    {
      head: "Created",
      width: 90,
      class: "r muted",
      hide: "s",
      cell: ({ creation_time }) =>
        creation_time * 1_000 > second.peek() ? "now" : <Time at={creation_time * 1_000} />,
    },
    {
      head: <span class="sr">Actions</span>,
      width: 92,
      class: "r",
      hide: "s",
      cell: (account) => <RowActions account={account} onIssued={onIssued} />,
    },
  ];
}

const LOOKS: Readonly<
  Record<ReturnType<typeof stateOf>, { word: string; icon: IconName; tone: string }>
> = {
  active: { word: "Active", icon: "check", tone: "done" },
  paused: { word: "Paused", icon: "pause", tone: "held" },
  suspended: { word: "Suspended", icon: "lock", tone: "fail" },
  deleting: { word: "Being deleted", icon: "trash", tone: "fail" },
};

export function AccountChip(props: { readonly account: Account; readonly isBig?: boolean }) {
  const { word, icon, tone } = LOOKS[stateOf(props.account)];
  return (
    <span class={`chip ${tone} ${props.isBig === true ? "big" : ""}`}>
      <Icon name={icon} />
      {word}
    </span>
  );
}

function Today({ account }: { readonly account: Account }) {
  const stats = useResource<AccountStats>(`${consolePath("stats", account.id)}?period=1d`, 60_000);
  if (stats.value === null) return <span class="muted">{stats.error === null ? "" : "–"}</span>;
  return <DayMeter used={stats.value.daily_requests} max={account.max_requests_per_day_hard} />;
}

export function DayMeter({ used, max }: { readonly used: number; readonly max: number }) {
  if (max >= NO_LIMIT) {
    return (
      <span class="small num">
        {countText(used)}
        <span class="muted">, no limit</span>
      </span>
    );
  }
  return (
    <>
      <span class="small num">
        {countText(used)}
        <span class="muted"> of {countText(max)}</span>
      </span>
      <Meter used={used} max={max} isQuota />
    </>
  );
}

interface RowActionsProps {
  readonly account: Account;
  readonly onIssued: (issued: Issued) => void;
}

function RowActions({ account, onIssued }: RowActionsProps) {
  const { id, customer_id: name, paused } = account;
  const [isRotating, setRotating] = useState(false);
  return (
    <span class="row tail-end">
      <Button
        isSmall
        kind="quiet"
        icon={paused ? "play" : "pause"}
        label={`${paused ? "Resume" : "Pause"} deliveries of ${name}`}
        onPress={() => setAccountPaused(account, !paused)}
      />
      <Button
        isSmall
        kind="quiet"
        icon="retry"
        label={`Rotate credentials of ${name}`}
        onPress={() => setRotating(true)}
      />
      {isRotating ? (
        <RotateDialog
          whose={`the credentials of ${name}`}
          title={`New credentials of ${name}`}
          path={consolePath("rotate-token", id)}
          onClose={() => setRotating(false)}
          onIssued={onIssued}
        />
      ) : null}
    </span>
  );
}
