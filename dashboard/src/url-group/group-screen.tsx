/** One URL group with all its endpoints. */
import { useState } from "preact/hooks";
import type { UrlGroup } from "../../../sdk/src/answers/url-group.ts";
import type { Hosts } from "../answers/stats.ts";
import { counted } from "../app/format.ts";
import { useKeys } from "../app/keys.ts";
import { useResource } from "../app/resource.ts";
import { navigate } from "../app/router.ts";
import type { ScreenProps } from "../app/screen-props.ts";
import { isReadOnly } from "../app/session.ts";
import { Blank } from "../parts/blank.tsx";
import { Button } from "../parts/button.tsx";
import { LoadProblem } from "../parts/load-problem.tsx";
import { Time } from "../parts/time.tsx";
import { Bar } from "../shell/bar.tsx";
import { CommonNotices } from "../shell/shell.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { GroupCard } from "./group-card.tsx";
import { groupPath } from "./url-group.ts";

export function GroupScreen({ id }: ScreenProps) {
  const group = useResource<UrlGroup>(groupPath(id), 30_000);
  const hosts = useResource<Hosts>("/v2/hosts?count=100", 30_000);
  const [isDeleting, setDeleting] = useState(false);
  useKeys({ Escape: () => navigate("/groups") });
  if (group.isMissing) return <Gone name={id} />;
  const { value } = group;
  return (
    <>
      <Bar
        title={id}
        parent={{ name: "URL groups", href: "/groups" }}
        beside={
          value === null ? null : (
            <span class="muted small hide-s">
              {counted(value.endpoints.length, "endpoint")}, changed{" "}
              <Time at={value.updatedAt} form="sentence" />
            </span>
          )
        }
      >
        <a class="btn" href={`/messages?group=${encodeURIComponent(id)}`}>
          See messages
        </a>
        {isReadOnly.value || value === null ? null : (
          <Button icon="trash" onPress={() => setDeleting(true)}>
            Delete…
          </Button>
        )}
      </Bar>
      <div class="body">
        <CommonNotices />
        <LoadProblem of={group} what="the URL group" />
        {value === null ? null : (
          <GroupCard
            group={value}
            hosts={hosts.value?.hosts ?? []}
            endpointsMax={value.endpoints.length}
          />
        )}
      </div>
      {isDeleting && value !== null ? (
        <DeleteDialog
          group={value}
          onClose={() => setDeleting(false)}
          onDone={() => navigate("/groups")}
        />
      ) : null}
    </>
  );
}

function Gone({ name }: { readonly name: string }) {
  return (
    <>
      <Bar title="URL group" parent={{ name: "URL groups", href: "/groups" }} />
      <div class="body">
        <CommonNotices />
        <div class="card">
          <Blank icon="groups" title="This URL group is not here">
            <span class="soft">
              <code>{name}</code> is unknown, of another account, or was deleted.
            </span>
            <a class="btn s" href="/groups">
              See all URL groups
            </a>
          </Blank>
        </div>
      </div>
    </>
  );
}
