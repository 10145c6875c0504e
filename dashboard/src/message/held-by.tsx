/** What holds a message back that is due: the limit, who has its slots, and when it opens. */
import type { Wait } from "../../../sdk/src/answers/message.ts";
import { second } from "../app/clock.ts";
import { clockText, idTail, roughText } from "../app/format.ts";
import { messageHref } from "./message-href.ts";

interface HeldByProps {
  readonly ids: readonly string[];
  readonly shownMax: number;
}

/** The messages that hold the slots of a full queue or key. */
export function HeldBy({ ids, shownMax }: HeldByProps) {
  const more = ids.length - shownMax;
  return (
    <>
      {ids.slice(0, shownMax).map((id, index) => (
        <>
          {index === 0 ? "" : ", "}
          <a key={id} class="link mono" href={messageHref({ id })} title={id}>
            {idTail(id)}
          </a>
        </>
      ))}
      {more > 0 ? ` +${more}` : ""}
    </>
  );
}

/** In a row: `queue orders, held by …3f2a1`, `key stripe, opens in 21 s`. */
export function HeldWords({ wait }: { readonly wait: Wait }) {
  const { line, heldBy = [], endsAt } = wait;
  const place = line === undefined ? "" : `${line.kind} ${line.name}`;
  if (heldBy.length > 0) {
    return (
      <span title={place}>
        {place}, held by <HeldBy ids={heldBy} shownMax={1} />
      </span>
    );
  }
  if (endsAt === null || wait.reason === "retry") return <>{place}</>;
  return <span title={place}>{`${place}, ${opensText(endsAt, second.value)}`}</span>;
}

function opensText(endsAt: number, now: number): string {
  return endsAt > now ? `opens in ${roughText(endsAt - now)}` : "opens now";
}

/** Below the attempts of a message that is due and not sent. */
export function WhyHeld({ wait }: { readonly wait: Wait | undefined }) {
  if (wait === undefined || isTimed(wait)) return null;
  const { heldBy = [], line, endsAt } = wait;
  return (
    <div class="more">
      <span>
        {heldText(wait)}{" "}
        {heldBy.length === 0 ? null : (
          <>
            Held by <HeldBy ids={heldBy} shownMax={heldBy.length} />.{" "}
          </>
        )}
        {endsAt === null
          ? null
          : `It ${opensText(endsAt, second.value)}, at ${clockText(endsAt, second.value)}.`}
      </span>
      {line === undefined || line.kind === "host" ? null : (
        <a class="btn s quiet" href="/flow">
          Queues and keys
        </a>
      )}
    </div>
  );
}

/** Why it would not help to make the message due; null where it would. */
export function whyNotNow(wait: Wait | undefined): string | null {
  return wait === undefined || isTimed(wait) ? null : `It is due already. ${heldText(wait)}`;
}

function isTimed({ reason }: Wait): boolean {
  return reason === "delay" || reason === "retry";
}

export function heldText({ reason, line, pausedBy }: Wait): string {
  const name = line?.name ?? "";
  switch (reason) {
    case "queue-full":
      return `Queue ${name} is full.`;
    case "key-parallelism":
      return `Key ${name} is full.`;
    case "key-rate":
      return `Key ${name} has used up its rate.`;
    case "paused":
      return PAUSED[pausedBy ?? "service"].replace("%", name);
    case "account-parallelism":
      return "The account has as many attempts under way as its plan allows.";
    case "host-full":
      return `Enough attempts at ${name} are under way on this server.`;
    case "host-failing":
      return `${name} does not answer, so that only a few attempts are made at it.`;
    case "node-full":
      return "The server has as many attempts under way as it can.";
    case "delay":
    case "retry":
      return "";
  }
}

const PAUSED: Readonly<Record<NonNullable<Wait["pausedBy"]>, string>> = {
  queue: "Queue % is paused until you resume it.",
  key: "Key % is paused until you resume it.",
  account: "Deliveries of the account are paused by the operator.",
  service: "Deliveries of the whole service are paused by the operator.",
};
