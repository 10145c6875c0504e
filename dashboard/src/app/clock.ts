/** Time as the server has it, and the one timer by which relative times change. */
import { signal } from "@preact/signals";

let aheadMs = 0;

/** Follows the server's clock when the browser's is off by more than its header can say. */
export function noteServerTime(date: string | null): void {
  const at = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(at)) return;
  const differenceMs = at - Date.now();
  const before = aheadMs;
  aheadMs = Math.abs(differenceMs) < 2_000 ? 0 : differenceMs;
  // The clock of dev was put forward: what is on the screen must not wait for the timer.
  if (Math.abs(aheadMs - before) > 60_000) second.value = moment.value = serverNow();
}

export function serverNow(): number {
  return Date.now() + aheadMs;
}

/** Changes each second, for what is younger than a minute. */
export const second = signal(serverNow());
/** Changes each ten seconds, for the rest. */
export const moment = signal(serverNow());

let ticks = 0;
setInterval(() => {
  if (document.hidden) return;
  second.value = serverNow();
  if (++ticks % 10 === 0) moment.value = second.value;
}, 1_000);
document.addEventListener("visibilitychange", () => {
  second.value = moment.value = serverNow();
});
