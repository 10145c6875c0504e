/** The nodes of the server: whether each lives, and how full it is. */
import type { NodeRecord, Nodes } from "../answers/node.ts";
import { second } from "../app/clock.ts";
import { countText, roughText } from "../app/format.ts";
import type { Resource } from "../app/resource.ts";
import { Icon } from "../parts/icon.tsx";
import { LoadProblem } from "../parts/load-problem.tsx";
import { Meter } from "../parts/meter.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";

export function NodesCard({ nodes }: { readonly nodes: Resource<Nodes> }) {
  const all = nodes.value?.nodes ?? [];
  return (
    <article class="card">
      <header>
        <h2>Nodes</h2>
        <span class="muted hide-s">take messages from the same store</span>
      </header>
      <LoadProblem of={nodes} what="the nodes" />
      <Table
        label="Nodes"
        hasKeys={false}
        columns={COLUMNS}
        rows={all}
        keyOf={({ nodeId }) => nodeId}
        isLoading={nodes.isLoading}
        isStale={nodes.error !== null}
        empty={<p class="pad muted">No node has said anything lately.</p>}
      />
      {nodes.value === null ? null : <p class="more">{PROMISES[nodes.value.durability]}</p>}
    </article>
  );
}

const PROMISES: Readonly<Record<Nodes["durability"], string>> = {
  disk: "An accepted message is on this machine's disk.",
  primary:
    "An accepted message is on the disk of the PostgreSQL primary. The server names no synchronous standby, so a failover may lose messages that had not reached a replica.",
  standby:
    "An accepted message is on the disks of the PostgreSQL primary and of a synchronous standby. A failover to that standby loses nothing.",
};

const COLUMNS: readonly Column<NodeRecord>[] = [
  {
    head: "Node",
    class: "full",
    cell: ({ name, nodeId }) => (
      <span class="cut" title={nodeId}>
        {name} <code class="muted">{nodeId}</code>
      </span>
    ),
  },
  { head: "State", width: 130, cell: (node) => <NodeChip node={node} /> },
  {
    head: "Attempts in flight",
    width: 230,
    class: "mtr",
    cell: ({ slotsUsed, slotsMax }) => (
      <>
        <span class="small num">
          {countText(slotsUsed)}
          <span class="muted"> of {countText(slotsMax)}</span>
        </span>
        <Meter used={slotsUsed} max={slotsMax} isQuota />
      </>
    ),
  },
  { head: "Version", width: 90, class: "soft", hide: "s", cell: ({ version }) => version },
  {
    head: "Started",
    width: 90,
    class: "r muted",
    hide: "m",
    cell: ({ startedAt }) => (startedAt > second.peek() ? "now" : <Time at={startedAt} />),
  },
  {
    head: "Last heard",
    width: 100,
    class: "r muted end",
    cell: ({ silentMs }) => `${roughText(silentMs)} ago`,
  },
];

function NodeChip({ node: { live, paused } }: { readonly node: NodeRecord }) {
  const [tone, icon, word] = !live
    ? (["fail", "unplug", "Silent"] as const)
    : paused
      ? (["held", "pause", "Paused"] as const)
      : (["done", "check", "Live"] as const);
  return (
    <span class={`chip ${tone}`}>
      <Icon name={icon} />
      {word}
    </span>
  );
}
