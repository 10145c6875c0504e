/** Which hosts fail now, since when, and how many attempts. One that has recovered is not among them. */
import type { LogPage } from "../../../sdk/src/answers/message.ts";
import type { Hosts, HostStats } from "../answers/stats.ts";
import { call, withQuery } from "../app/api.ts";
import { serverNow } from "../app/clock.ts";
import { clockText, countText, shareText } from "../app/format.ts";
import { useSource } from "../app/resource.ts";
import { Notice } from "../parts/notice.tsx";
import { sinceText } from "./stats.ts";

interface FailingHost {
  readonly stats: HostStats;
  /** Of its newest attempts. */
  readonly failed: number;
  readonly newest: number;
  /** When an attempt last succeeded; null when none did as far as the log was searched, or some still do. */
  readonly deliveredAt: number | null;
}

export function FailingHosts({ answer }: { readonly answer: Hosts | null }) {
  const asked = (answer?.hosts ?? [])
    .filter(({ attempts, failedAttempts }) => attempts >= 10 && failedAttempts / attempts >= 0.5)
    .toSorted((one, other) => other.failedAttempts - one.failedAttempts)
    .slice(0, ASKED_MAX);
  const name = `/v2/logs of ${asked.map(({ host }) => host).join(" ")}`;
  const load = (gone: AbortSignal): Promise<FailingHost[]> => failingOf(asked, gone);
  const found = useSource(asked.length === 0 ? null : { name, load }, { everyMs: 15_000 });
  const [worst, ...others] = found.value ?? [];
  if (worst === undefined || answer === null) return null;
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

function beganText({ failed, newest, deliveredAt }: FailingHost): string {
  if (failed < newest) return `Of its last ${newest} attempts ${failed} failed.`;
  return deliveredAt === null
    ? `All of its last ${newest} attempts failed.`
    : `Nothing was delivered since ${clockText(deliveredAt, serverNow())}.`;
}

async function failingOf(hosts: readonly HostStats[], signal: AbortSignal): Promise<FailingHost[]> {
  const all = await Promise.all(hosts.map((stats) => failingNow(stats, signal)));
  return all.filter((each) => each !== null);
}

/** Null once most of its newest attempts succeed. */
async function failingNow(stats: HostStats, signal: AbortSignal): Promise<FailingHost | null> {
  const { logs } = await newestOf(stats.host, "ERROR,DELIVERED", NEWEST, signal);
  const failed = logs.filter(({ state }) => state === "ERROR").length;
  if (failed === 0 || failed * 2 < logs.length) return null;
  const isDown = failed === logs.length;
  const delivered = isDown ? await newestOf(stats.host, "DELIVERED", 1, signal) : null;
  return { stats, failed, newest: logs.length, deliveredAt: delivered?.logs[0]?.time ?? null };
}

function newestOf(
  host: string,
  state: string,
  count: number,
  signal: AbortSignal,
): Promise<LogPage> {
  return call(withQuery("/v2/logs", { host, state, count }), { signal });
}

const ASKED_MAX = 3;
const NEWEST = 10;
