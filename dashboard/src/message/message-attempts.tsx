/** The time line of a message, and the way to end its wait. */
import { second } from "../app/clock.ts";
import type { Wait } from "../../../sdk/src/answers/message.ts";
import { clockText } from "../app/format.ts";
import { isReadOnly } from "../app/session.ts";
import { DRAWN_MAX } from "../parts/attempt-pieces.ts";
import { Attempts } from "../parts/attempts.tsx";
import { Button } from "../parts/button.tsx";
import { heldText, whyNotNow } from "./held-by.tsx";
import type { MessageLife } from "./message-life.ts";

interface MessageAttemptsProps {
  readonly life: MessageLife;
  /** Why it is not being sent now. */
  readonly wait: Wait | undefined;
  readonly chosen: number | null;
  readonly onChoose: (number: number) => void;
  readonly onRetryNow: () => Promise<void>;
}

export function MessageAttempts(props: MessageAttemptsProps) {
  const { life, wait, chosen, onChoose, onRetryNow } = props;
  const { attempts, attemptsMax, nextAt, state } = life;
  const waits = state === "RETRY" || state === "CREATED";
  const shownNextAt = waits && attempts.length > 0 ? nextAt : null;
  const hidden = attempts.length - DRAWN_MAX;
  return (
    <>
      <header>
        <h2>
          {attempts.length} of {attemptsMax} {attemptsMax === 1 ? "attempt" : "attempts"}
        </h2>
        <span class="muted hide-s">
          {attempts.length === 0
            ? ""
            : hidden > 0
              ? `The last ${DRAWN_MAX}. Gaps are shortened.`
              : attempts.length > 1 || shownNextAt !== null
                ? "Gaps are shortened; their labels are real."
                : ""}
        </span>
        {waits && !isReadOnly.value ? (
          <div class="acts">
            <Button isSmall icon="play" whyNot={whyNotNow(wait)} onPress={onRetryNow}>
              {attempts.length === 0 ? "Send now" : "Retry now"}
            </Button>
          </div>
        ) : null}
      </header>
      {attempts.length === 0 ? (
        <p class="pad muted">
          {notTried(state, nextAt, second.value)} {wait === undefined ? "" : heldText(wait)}
        </p>
      ) : (
        <Attempts
          attempts={attempts}
          nextAt={shownNextAt}
          leftCount={attemptsMax - attempts.length}
          chosen={chosen}
          onChoose={onChoose}
        />
      )}
    </>
  );
}

function notTried(state: MessageLife["state"], nextAt: number | null, now: number): string {
  if (state === "CANCELED") return "Canceled before its first attempt.";
  return nextAt !== null && nextAt > now
    ? `Not tried yet, due ${clockText(nextAt, now)}.`
    : "Not tried yet.";
}
