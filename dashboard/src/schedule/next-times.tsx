/** The next times of an expression, in its zone and in the reader's, with the changes of clocks between them. */
import { second } from "../app/clock.ts";
import { roughText } from "../app/format.ts";
import { Icon } from "../parts/icon.tsx";
import { changeSentence, changeText } from "./clock-changes.ts";
import { nextChange, offsetMs, ownZone, placeOf, splitZone, wallText, wallTime } from "./zone.ts";

interface NextTimesProps {
  readonly cron: string;
  readonly times: readonly number[];
  /** Since when there is no tick; the present when absent. */
  readonly isPaused?: boolean;
}

export function NextTimes({ cron, times, isPaused = false }: NextTimesProps) {
  const { zone } = splitZone(cron);
  const own = ownZone();
  const isElsewhere = placeOf(zone) !== placeOf(own);
  const now = second.peek();
  return (
    <ol class={isElsewhere ? "times" : "times one"}>
      <li class="muted small">
        <span />
        <span>{isElsewhere ? placeOf(zone) : `${placeOf(zone)}, your zone`}</span>
        {isElsewhere ? <span>Your time, {placeOf(own)}</span> : null}
        <span />
      </li>
      {times.map((at, index) => (
        <NextTime
          key={at}
          cron={cron}
          number={index + 1}
          at={at}
          before={times[index - 1] ?? null}
          now={now}
          isPaused={isPaused}
        />
      ))}
      <LaterChange cron={cron} after={times.at(-1) ?? now} now={now} />
    </ol>
  );
}

interface NextTimeProps {
  readonly cron: string;
  readonly number: number;
  readonly at: number;
  readonly before: number | null;
  readonly now: number;
  readonly isPaused: boolean;
}

function NextTime({ cron, number, at, before, now, isPaused }: NextTimeProps) {
  const { zone } = splitZone(cron);
  const own = ownZone();
  const isElsewhere = placeOf(zone) !== placeOf(own);
  const from = before ?? now;
  const change = nextChange(from, at, zone);
  const ownChange = isElsewhere ? nextChange(from, at, own) : null;
  const isShifted = change !== null || ownChange !== null;
  const changes = [
    ...(change === null ? [] : [changeText(cron, change, now)]),
    ...(ownChange === null ? [] : [changeSentence(ownChange, own, now)]),
  ];
  const [day, clock] = splitWall(wallText(at, own, now));
  const later =
    before === null
      ? isPaused
        ? "when resumed"
        : `in ${roughText(at - second.value)}`
      : `${gapText(before, at, zone)} later`;
  return (
    <>
      {changes.map((text) => (
        <li key={text} class="shift">
          <Icon name="alert" />
          <span>{text}</span>
        </li>
      ))}
      <li>
        <span class="muted num">{number}</span>
        <b>{wallText(at, zone, now)}</b>
        {isElsewhere ? (
          <span>
            {day}, {isShifted ? <b class="warn">{clock}</b> : clock}
          </span>
        ) : null}
        <span class={`small ${isShifted && before !== null ? "warn" : "muted"}`}>{later}</span>
      </li>
    </>
  );
}

/** The next change after the times that are shown, so that it does not come as a surprise. */
function LaterChange({
  cron,
  after,
  now,
}: {
  readonly cron: string;
  readonly after: number;
  readonly now: number;
}) {
  const { zone } = splitZone(cron);
  const change = nextChange(after, now + YEAR_MS, zone);
  if (change === null) return null;
  return (
    <li class="shift later">
      <Icon name="clock" />
      <span>Later: {changeText(cron, change, now)}</span>
    </li>
  );
}

/** One line for a form: `Next: Fri 23 Oct, 08:30 (02:30 for you), then Mon 26 Oct, 08:30.` */
export function nextSentence(cron: string, times: readonly number[], now: number): string {
  const { zone } = splitZone(cron);
  const own = ownZone();
  const [first, then] = times;
  if (first === undefined) return "It never runs.";
  const here = placeOf(zone) === placeOf(own) ? "" : ` (${wallTime(first, own)} for you)`;
  const after = then === undefined ? "" : `, then ${wallText(then, zone, now)}`;
  return `Next: ${wallText(first, zone, now)}${here}${after}.`;
}

function splitWall(text: string): [string, string] {
  const at = text.lastIndexOf(", ");
  return [text.slice(0, at), text.slice(at + 2)];
}

/** Hours up to two days, so that a day of 25 hours can be seen; then days of the calendar there. */
export function gapText(before: number, at: number, zone: string): string {
  const hours = (at - before) / 3_600_000;
  if (hours >= 1 && hours <= 49 && Number.isInteger(hours)) return `${hours} h`;
  return roughText(at + offsetMs(at, zone) - before - offsetMs(before, zone));
}

const YEAR_MS = 366 * 86_400_000;
