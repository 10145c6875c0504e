/** What the account has in hand, and whether the server takes more. */
import { countText } from "../app/format.ts";
import { useResource } from "../app/resource.ts";
import { session } from "../app/session.ts";
import { usedOf } from "../shell/account-facts.ts";

export function ServerCard() {
  const ready = useResource<{ ready: boolean }>("/readyz", 15_000);
  const inFlight = useResource<{ parallelismMax: number; parallelismCount: number }>(
    "/v2/globalParallelism",
    10_000,
  );
  const queues = useResource<readonly { paused: boolean }[]>("/v2/queues", 30_000);
  const dead = usedOf("max_dlq_size");
  const today = usedOf("max_requests_per_day");
  const paused = queues.value?.filter((queue) => queue.paused).length ?? 0;
  const { parallelismMax = 0, parallelismCount = 0 } = inFlight.value ?? {};
  return (
    <article class="card">
      <header>
        <h2>Now</h2>
      </header>
      <dl class="kv pad num">
        <dt>Publishing</dt>
        <dd>
          {ready.error !== null && ready.error.status !== 0 ? (
            <span class="bad">{ready.error.message}</span>
          ) : ready.value === null ? (
            "–"
          ) : (
            <span class="ok">accepted</span>
          )}
        </dd>
        <dt>Being sent</dt>
        <dd>
          {inFlight.value === null ? "–" : countText(parallelismCount)}
          {parallelismMax > 0 ? ` of ${countText(parallelismMax)}` : ""}
        </dd>
        {today === null ? null : (
          <>
            <dt>Published today</dt>
            <dd>{countText(today)}</dd>
          </>
        )}
        {dead === null ? null : (
          <>
            <dt>Dead letters</dt>
            <dd>
              {dead === 0 ? (
                "none"
              ) : (
                <a class="link" href="/dead">
                  {countText(dead)}
                </a>
              )}
            </dd>
          </>
        )}
        {queues.value === null ? null : (
          <>
            <dt>Queues</dt>
            <dd>
              {countText(queues.value.length)}
              {paused === 0 ? "" : `, ${countText(paused)} paused`}
            </dd>
          </>
        )}
        {(session.value?.version ?? "") === "" ? null : (
          <>
            <dt>Version</dt>
            <dd>{session.value?.version}</dd>
          </>
        )}
      </dl>
    </article>
  );
}
