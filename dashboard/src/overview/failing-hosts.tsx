/** Which hosts fail now, since when, and how many attempts. One that has recovered is not among them. */
import type { Overview, OverviewHost } from "../answers/stats.ts";
import { serverNow } from "../app/clock.ts";
import { clockText, countText, shareText } from "../app/format.ts";
import { Notice } from "../parts/notice.tsx";
import { sinceText } from "./stats.ts";

export function FailingHosts({ answer }: { readonly answer: Overview["hosts"] | null }) {
  if (answer === null) return null;
  const [worst, ...others] = answer.hosts
    .filter(isFailing)
    .toSorted((one, other) => other.stats.failedAttempts - one.stats.failedAttempts);
  if (worst === undefined) return null;
  const { host, failedAttempts, attempts } = worst.stats;
  return (
    <Notice
      title={`${host} is failing.`}
      actions={
        <a class="btn s" href={`/messages?host=${encodeURIComponent(host)}&state=ERROR`}>
          See messages
        </a>
      }
    >
      {beganText(worst)} Since {sinceText(answer)} {shareText(failedAttempts, attempts)} of{" "}
      {countText(attempts)} attempts failed.{" "}
      {others.length === 0
        ? "Most attempts to other destinations succeed."
        : `So do most of ${others.map(({ stats }) => stats.host).join(", ")}.`}
    </Notice>
  );
}

/** Until most of its newest attempts succeed. */
function isFailing({ newest }: OverviewHost): boolean {
  return newest !== undefined && newest.failed > 0 && newest.failed * 2 >= newest.attempts;
}

function beganText({ newest }: OverviewHost): string {
  const { attempts = 0, failed = 0, deliveredAt = null } = newest ?? {};
  if (failed < attempts) return `Of its last ${attempts} attempts ${failed} failed.`;
  return deliveredAt === null
    ? `All of its last ${attempts} attempts failed.`
    : `Nothing was delivered since ${clockText(deliveredAt, serverNow())}.`;
}
