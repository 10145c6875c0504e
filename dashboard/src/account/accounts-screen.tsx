/** For the operator: every account, and the nodes that serve them. */
import { useRef, useState } from "preact/hooks";
import type { Account } from "../../../sdk/src/answers/account.ts";
import type { Nodes, PausedServer } from "../answers/node.ts";
import { call } from "../app/api.ts";
import { countText } from "../app/format.ts";
import { useKeys } from "../app/keys.ts";
import { type Resource, useResource } from "../app/resource.ts";
import { type Issued, IssuedCard } from "./issued.tsx";
import { Blank } from "../parts/blank.tsx";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { LoadProblem } from "../parts/load-problem.tsx";
import { Notice } from "../parts/notice.tsx";
import { Table } from "../parts/table.tsx";
import { announce } from "../app/announce.ts";
import { Bar } from "../shell/bar.tsx";
import { CommonNotices } from "../shell/shell.tsx";
import { accountColumns } from "./account-columns.tsx";
import { accountHref, planOf } from "./account.ts";
import { NewAccountDialog } from "./new-account-dialog.tsx";
import { NodesCard } from "./nodes-card.tsx";

export function AccountsScreen() {
  const accounts = useResource<readonly Account[]>("/v2/svc/users?count=1000", 30_000);
  const nodes = useResource<Nodes>("/v2/svc/nodes", 10_000);
  const [asked, ask] = useState<Asked | null>(null);
  const [issued, setIssued] = useState<Issued | null>(null);
  useKeys({ c: () => ask("new") });
  const isPaused = nodes.value?.nodes.some(({ live, paused }) => live && paused) ?? false;
  if (accounts.isMissing) return <Elsewhere />;
  return (
    <>
      <AccountsBar count={accounts.value?.length ?? 0} isPaused={isPaused} onAsk={ask} />
      <div class="body">
        <CommonNotices />
        <LoadProblem of={accounts} what="the accounts" />
        {isPaused ? (
          <Notice tone="warn" icon="pause" title="All deliveries of this server are paused.">
            Messages are still accepted, and wait.
          </Notice>
        ) : null}
        {issued === null ? null : <IssuedCard issued={issued} onCopied={() => setIssued(null)} />}
        <AccountList accounts={accounts} onIssued={setIssued} />
        <NodesCard nodes={nodes} />
      </div>
      {asked === "new" ? <NewAccountDialog onClose={() => ask(null)} onMade={setIssued} /> : null}
      {asked === "pause" || asked === "resume" ? (
        <PauseAllDialog isPausing={asked === "pause"} onClose={() => ask(null)} />
      ) : null}
    </>
  );
}

type Asked = "new" | "pause" | "resume";

interface AccountsBarProps {
  readonly count: number;
  readonly isPaused: boolean;
  readonly onAsk: (asked: Asked) => void;
}

function AccountsBar({ count, isPaused, onAsk }: AccountsBarProps) {
  return (
    <Bar
      title="Accounts"
      beside={
        <>
          {count === 0 ? null : <span class="muted num">{countText(count)}</span>}
          <span class="chip held plain hide-s">Operator</span>
        </>
      }
    >
      <Button
        kind={isPaused ? "" : "danger"}
        icon={isPaused ? "play" : "pause"}
        onPress={() => onAsk(isPaused ? "resume" : "pause")}
      >
        {isPaused ? "Resume all deliveries…" : "Pause all deliveries…"}
      </Button>
      <Button kind="primary" icon="plus" shortcut="c" onPress={() => onAsk("new")}>
        New account
      </Button>
    </Bar>
  );
}

interface AccountListProps {
  readonly accounts: Resource<readonly Account[]>;
  readonly onIssued: (issued: Issued) => void;
}

function AccountList({ accounts, onIssued }: AccountListProps) {
  const [search, setSearch] = useState("");
  const [pageMax, setPageMax] = useState(PAGE_SIZE);
  const input = useRef<HTMLInputElement>(null);
  useKeys({ "/": () => input.current?.focus() });
  const found = (accounts.value ?? []).filter((account) => isFound(account, search));
  return (
    <>
      <div class="search" role="search">
        <Icon name="search" />
        <input
          ref={input}
          aria-label="Find an account"
          placeholder="Find by customer, account id or plan"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <kbd class="hide-s">/</kbd>
      </div>
      <div class="card">
        <Table
          label="Accounts"
          columns={accountColumns(onIssued)}
          rows={found.slice(0, pageMax)}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => accountHref(id)}
          isLoading={accounts.isLoading}
          isStale={accounts.error !== null}
          empty={<Blank icon="users" title="No account matches" />}
        />
        {found.length > pageMax ? (
          <div class="more">
            <span>
              {countText(pageMax)} of {countText(found.length)} accounts
            </span>
            <Button isSmall onPress={() => setPageMax(pageMax + PAGE_SIZE)}>
              Show more
            </Button>
          </div>
        ) : null}
      </div>
    </>
  );
}

function isFound(account: Account, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return [account.customer_id, account.id, planOf(account)].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}

interface PauseAllDialogProps {
  readonly isPausing: boolean;
  readonly onClose: () => void;
}

function PauseAllDialog({ isPausing, onClose }: PauseAllDialogProps) {
  const change = async (): Promise<void> => {
    const answer = await call<Partial<PausedServer>>(`/v2/svc/${isPausing ? "pause" : "resume"}`, {
      method: "POST",
    });
    const pending = answer.pending?.length ?? 0;
    announce(
      pending > 0
        ? `Deliveries are paused. ${pending} nodes have not confirmed it yet.`
        : `All deliveries are ${isPausing ? "paused" : "resumed"}.`,
    );
  };
  return (
    <Dialog
      title={isPausing ? "Pause all deliveries?" : "Resume all deliveries?"}
      confirm={isPausing ? "Pause all deliveries" : "Resume all deliveries"}
      cancel="Keep it as it is"
      isDanger={isPausing}
      onConfirm={change}
      onClose={onClose}
    >
      <p class="soft">
        {isPausing
          ? "No node starts an attempt for any account. Messages are still accepted, and wait; nothing is lost. Attempts in progress may end. The server stays paused after a restart."
          : "Every node sends what waits, for every account, oldest first."}
      </p>
    </Dialog>
  );
}

/** The console may be on a port of its own. */
function Elsewhere() {
  return (
    <>
      <Bar title="Accounts" />
      <div class="body">
        <div class="card">
          <Blank icon="users" title="The console is not on this port">
            <span class="soft">
              This server was started with <code>--console-port</code>. Open the dashboard on that
              port to manage accounts.
            </span>
          </Blank>
        </div>
      </div>
    </>
  );
}

/** Each row asks for its counts. */
const PAGE_SIZE = 50;
