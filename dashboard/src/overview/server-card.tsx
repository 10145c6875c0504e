/** What the account has in hand, and whether the server takes more. */
import type { ComponentChildren } from "preact";
import type { GlobalParallelism } from "../../../sdk/src/answers/line.ts";
import type { Readiness } from "../answers/node.ts";
import type { Overview } from "../answers/stats.ts";
import { countText } from "../app/format.ts";
import { type Resource, useResource } from "../app/resource.ts";
import { session } from "../app/session.ts";
import { useUsed } from "../shell/account-facts.ts";

interface ServerCardProps {
  readonly overview: Overview | null;
  readonly published: string | null;
}

export function ServerCard({ overview, published }: ServerCardProps) {
  const ready = useResource<Readiness>("/readyz", 15_000);
  const dead = useUsed("max_dlq_size");
  const today = useUsed("max_requests_per_day");
  const version = session.value?.version ?? "";
  return (
    <article class="card">
      <header>
        <h2>Now</h2>
      </header>
      <dl class="kv pad num">
        <Row name="Publishing">{readyText(ready)}</Row>
        <Row name="Being sent">{overview === null ? "–" : inFlightText(overview.parallelism)}</Row>
        {published === null ? null : (
          <Row name="Published">
            {published}
            {today === null ? null : `, ${countText(today)} today`}
          </Row>
        )}
        {dead === null ? null : (
          <Row name="Dead letters">{dead === 0 ? "none" : <DeadLetters count={dead} />}</Row>
        )}
        {overview === null ? null : <Row name="Queues">{queuesText(overview.queues)}</Row>}
        {version === "" ? null : <Row name="Version">{version}</Row>}
      </dl>
    </article>
  );
}

function Row({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function readyText({ value, error }: Resource<Readiness>): ComponentChildren {
  if (error !== null && error.status !== 0) return <span class="bad">{error.message}</span>;
  return value === null ? "–" : <span class="ok">accepted</span>;
}

function inFlightText({ parallelismMax, parallelismCount }: GlobalParallelism): string {
  const limit = parallelismMax > 0 ? ` of ${countText(parallelismMax)}` : "";
  return `${countText(parallelismCount)}${limit}`;
}

function queuesText({ count, paused }: Overview["queues"]): string {
  return `${countText(count)}${paused === 0 ? "" : `, ${countText(paused)} paused`}`;
}

function DeadLetters({ count }: { readonly count: number }) {
  return (
    <a class="link" href="/dead">
      {countText(count)}
    </a>
  );
}
