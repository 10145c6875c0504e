/** About how many entries the log has, from the counts of the days for which it is kept. */
import type { Series, StatPoint } from "../answers/stats.ts";
import { second } from "../app/clock.ts";
import { useResource } from "../app/resource.ts";
import { useOwnAccount } from "../shell/account-facts.ts";

export function useLogSize(isOn: boolean): number | null {
  const { value: account } = useOwnAccount();
  const days = account?.retention;
  const from = Math.floor(second.peek() / DAY_MS - (days ?? 0)) * DAY_MS;
  const path = isOn && days !== undefined ? `/v2/stats?step=day&from=${from}` : null;
  const { value } = useResource<Series>(path);
  return value === null ? null : value.points.reduce((sum, point) => sum + entriesOf(point), 0);
}

/** One for each message; two for each attempt, three where it failed; one more where it was canceled. */
export function entriesOf(point: Counts): number {
  return point.published + 2 * point.attempts + point.failedAttempts + point.canceled;
}

type Counts = Pick<StatPoint, "published" | "attempts" | "failedAttempts" | "canceled">;

const DAY_MS = 86_400_000;
