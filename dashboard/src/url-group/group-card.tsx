/** A URL group with its endpoints, and how their hosts did in the last hour. */
import { useState } from "preact/hooks";
import type { Endpoint, UrlGroup } from "../../../sdk/src/answers/url-group.ts";
import type { HostStats } from "../answers/stats.ts";
import { act, announce } from "../app/announce.ts";
import { countText, counted, durationText, shareText } from "../app/format.ts";
import { isReadOnly } from "../app/session.ts";
import { SendDialog } from "../message/send-dialog.tsx";
import { Button } from "../parts/button.tsx";
import { DestinationText } from "../parts/destination.tsx";
import { Bar as MeterBar } from "../parts/meter.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { EndpointDialog, HeadersDialog } from "./endpoint-dialog.tsx";
import { RemoveLastDialog } from "./delete-dialog.tsx";
import { groupHref, putEndpoint, removeEndpoint } from "./url-group.ts";

interface GroupCardProps {
  readonly group: UrlGroup;
  readonly hosts: readonly HostStats[];
  /** How many endpoints are shown. */
  readonly endpointsMax: number;
}

type Asked = "add" | "headers" | "send" | { readonly edit: Endpoint } | { readonly last: Endpoint };

export function GroupCard({ group, hosts, endpointsMax }: GroupCardProps) {
  const { name, endpoints } = group;
  const [asked, ask] = useState<Asked | null>(null);
  const shown = endpoints.slice(0, endpointsMax);
  const remove = (endpoint: Endpoint): void => {
    if (endpoints.length === 1) ask({ last: endpoint });
    else void removeOne(name, endpoint);
  };
  const actions = actionsColumn((edit) => ask({ edit }), remove);
  return (
    <article class="card">
      <header>
        <h2 class="cut">
          <a href={groupHref(name)}>{name}</a>
        </h2>
        <span class="muted nowrap hide-s">1 message becomes {countText(endpoints.length)}</span>
        {isReadOnly.value ? null : (
          <div class="acts">
            <Button isSmall icon="plus" onPress={() => ask("add")}>
              Add endpoint
            </Button>
            <Button isSmall icon="message" class="hide-s" onPress={() => ask("send")}>
              Send test
            </Button>
          </div>
        )}
      </header>
      <Table
        label={`Endpoints of ${name}`}
        hasKeys={false}
        columns={[...dataColumns(hosts), ...(isReadOnly.value ? [] : [actions])]}
        rows={shown}
        keyOf={({ url }) => url}
      />
      <GroupFoot group={group} shownCount={shown.length} onHeaders={() => ask("headers")} />
      <Asking group={group} asked={asked} onClose={() => ask(null)} />
    </article>
  );
}

interface AskingProps {
  readonly group: UrlGroup;
  readonly asked: Asked | null;
  readonly onClose: () => void;
}

function Asking({ group, asked, onClose }: AskingProps) {
  if (asked === null) return null;
  if (asked === "send") {
    return (
      <SendDialog
        like={{
          url: group.name,
          method: "POST",
          headers: [["Content-Type", "application/json"]],
          body: '{\n  "test": true\n}',
        }}
        onClose={onClose}
        onSent={() => announce(`Sent to ${counted(group.endpoints.length, "endpoint")}.`)}
      />
    );
  }
  if (asked === "headers") {
    return <HeadersDialog group={group} onClose={onClose} />;
  }
  if (asked !== "add" && "last" in asked) {
    return <RemoveLastDialog group={group} onClose={onClose} />;
  }
  return (
    <EndpointDialog
      group={group.name}
      endpoint={asked === "add" ? undefined : asked.edit}
      onClose={onClose}
    />
  );
}

interface GroupFootProps {
  readonly group: UrlGroup;
  readonly shownCount: number;
  readonly onHeaders: () => void;
}

function GroupFoot({ group, shownCount, onHeaders }: GroupFootProps) {
  const { name, endpoints, headers = {} } = group;
  const pairs = Object.entries(headers).flatMap(([header, values]) =>
    values.map((value) => `${header}: ${value}`),
  );
  const left = endpoints.length - shownCount;
  return (
    <div class="more">
      <span class="cut">
        {left > 0 ? (
          <a class="link" href={groupHref(name)}>
            {counted(left, "more endpoint")}
          </a>
        ) : pairs.length === 0 ? (
          "No default headers"
        ) : (
          <>
            Default headers:{" "}
            {pairs.map((pair, index) => (
              <>
                {index === 0 ? "" : ", "}
                <code key={pair}>{pair}</code>
              </>
            ))}
          </>
        )}
      </span>
      {isReadOnly.value ? null : (
        <button type="button" class="link-button" onClick={onHeaders}>
          Edit headers
        </button>
      )}
    </div>
  );
}

function dataColumns(hosts: readonly HostStats[]): Column<Endpoint>[] {
  const of = ({ url }: Endpoint): HostStats | undefined =>
    hosts.find(({ host }) => host === URL.parse(url)?.host);
  return [
    {
      head: "Endpoint",
      width: 180,
      class: "full",
      cell: ({ name }) =>
        name === undefined ? <span class="muted">no name</span> : <b title={name}>{name}</b>,
    },
    {
      head: "URL",
      class: "full",
      cell: ({ url }) => <DestinationText method="" url={url} />,
    },
    {
      head: <span title="Of all messages to this host">Host answered, last hour</span>,
      width: 190,
      class: "mtr",
      cell: (endpoint) => <Delivered stats={of(endpoint)} />,
    },
    {
      head: "p95",
      width: 84,
      class: "r soft",
      cell: (endpoint) => {
        const p95Ms = of(endpoint)?.p95Ms ?? null;
        return p95Ms === null ? "–" : durationText(p95Ms);
      },
    },
  ];
}

/** Attempts to the host that succeeded: the server counts by host, not by endpoint. */
function Delivered({ stats }: { readonly stats: HostStats | undefined }) {
  if (stats === undefined || stats.attempts === 0)
    return <span class="muted small">no attempts</span>;
  const good = stats.attempts - stats.failedAttempts;
  const share = good / stats.attempts;
  return (
    <>
      <span class="small num">
        {shareText(good, stats.attempts)}
        <span class="muted"> of {countText(stats.attempts)}</span>
      </span>
      <MeterBar share={share} fill={share >= 0.9 ? "ok" : "err"} />
    </>
  );
}

function actionsColumn(
  onEdit: (endpoint: Endpoint) => void,
  onRemove: (endpoint: Endpoint) => void,
): Column<Endpoint> {
  return {
    head: <span class="sr">Actions</span>,
    width: 84,
    class: "r end",
    cell: (endpoint) => {
      const called = endpoint.name ?? endpoint.url;
      return (
        <span class="row tail-end">
          <Button
            isSmall
            kind="quiet"
            icon="edit"
            label={`Edit ${called}`}
            onPress={() => onEdit(endpoint)}
          />
          <Button
            isSmall
            kind="quiet"
            icon="trash"
            label={`Remove ${called}`}
            onPress={() => onRemove(endpoint)}
          />
        </span>
      );
    },
  };
}

async function removeOne(group: string, endpoint: Endpoint): Promise<void> {
  const called = endpoint.name ?? endpoint.url;
  const words = { done: `${called} is removed.`, failed: `${called} was not removed.` };
  const undo = (): void => {
    const back = { done: `${called} is back.`, failed: `${called} was not added again.` };
    void act(() => putEndpoint(group, endpoint), back);
  };
  await act(() => removeEndpoint(group, endpoint), words, undo);
}
