/** The URL groups: one message becomes one for each endpoint. */
import { useState } from "preact/hooks";
import type { UrlGroup } from "../../../sdk/src/answers/url-group.ts";
import type { Hosts } from "../answers/stats.ts";
import { countText } from "../app/format.ts";
import { useKeys } from "../app/keys.ts";
import { useResource } from "../app/resource.ts";
import { navigate } from "../app/router.ts";
import { isReadOnly } from "../app/session.ts";
import { Blank } from "../parts/blank.tsx";
import { Button } from "../parts/button.tsx";
import { LoadProblem } from "../parts/load-problem.tsx";
import { SkeletonRows } from "../parts/skeleton-rows.tsx";
import { Bar } from "../shell/bar.tsx";
import { CommonNotices } from "../shell/shell.tsx";
import { EndpointDialog } from "./endpoint-dialog.tsx";
import { GroupCard } from "./group-card.tsx";
import { groupHref } from "./url-group.ts";

export function GroupsScreen() {
  const groups = useResource<readonly UrlGroup[]>("/v2/topics", 30_000);
  const hosts = useResource<Hosts>("/v2/hosts?count=100", 30_000);
  const [isCreating, setCreating] = useState(false);
  const [shownMax, setShownMax] = useState(SHOWN_MAX);
  const create = (): void => {
    if (!isReadOnly.value) setCreating(true);
  };
  useKeys({ c: create });
  const all = groups.value ?? [];
  return (
    <>
      <Bar
        title="URL groups"
        beside={all.length === 0 ? null : <span class="muted num">{countText(all.length)}</span>}
      >
        {isReadOnly.value ? null : (
          <Button kind="primary" icon="plus" shortcut="c" onPress={create}>
            New group
          </Button>
        )}
      </Bar>
      <div class="body">
        <CommonNotices />
        <LoadProblem of={groups} what="the URL groups" />
        {groups.isLoading ? <Loading /> : null}
        {groups.value !== null && all.length === 0 ? <NoGroup onCreate={create} /> : null}
        {all.slice(0, shownMax).map((group) => (
          <GroupCard
            key={group.name}
            group={group}
            hosts={hosts.value?.hosts ?? []}
            endpointsMax={ENDPOINTS_MAX}
          />
        ))}
        {all.length > shownMax ? (
          <div class="row">
            <Button onPress={() => setShownMax(shownMax + SHOWN_MAX)}>Show more groups</Button>
          </div>
        ) : null}
      </div>
      {isCreating ? (
        <EndpointDialog
          group={null}
          onClose={() => setCreating(false)}
          onSaved={(name) => navigate(groupHref(name))}
        />
      ) : null}
    </>
  );
}

function Loading() {
  return (
    <article class="card">
      <table class="lines" aria-busy="true" aria-label="URL groups">
        <tbody>
          <SkeletonRows columns={4} rows={3} />
        </tbody>
      </table>
    </article>
  );
}

function NoGroup({ onCreate }: { readonly onCreate: () => void }) {
  return (
    <div class="card">
      <Blank icon="groups" title="No URL group yet">
        <span class="soft">
          Publish to the name of a group, and every endpoint in it gets the message.
        </span>
        {isReadOnly.value ? null : (
          <Button isSmall onPress={onCreate}>
            New group
          </Button>
        )}
      </Blank>
    </div>
  );
}

const SHOWN_MAX = 50;
/** The rest is on the page of the group. */
const ENDPOINTS_MAX = 8;
