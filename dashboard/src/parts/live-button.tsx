/** Whether new rows come by themselves, and a way to hold them. */
import { heardAt, liveBy } from "../app/live.ts";
import { unreachableSince } from "../app/reachable.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { Time } from "./time.tsx";

interface LiveButtonProps {
  readonly isPaused: boolean;
  /** Of so many new rows one is shown. */
  readonly sampleOf?: number;
  readonly onPress: () => void;
}

export function LiveButton({ isPaused, sampleOf = 1, onPress }: LiveButtonProps) {
  const isAway = unreachableSince.value !== null;
  const word = isAway ? "Not connected" : "Live";
  return (
    <>
      {sampleOf > 1 && !isPaused ? <span class="soft small">Showing 1 in {sampleOf}</span> : null}
      {liveBy.value === "polling" ? (
        <span class="soft small hide-s">
          Updated <Time at={heardAt.value} form="sentence" />
        </span>
      ) : null}
      <Button
        isPressed={!isPaused}
        onPress={onPress}
        label={isPaused ? "Paused, resume the tail (space)" : `${word}, pause the tail (space)`}
      >
        <span class={isPaused ? "dot" : isAway ? "dot bad" : "dot live"} />
        {isPaused ? "Paused" : word}
        <Icon name={isPaused ? "play" : "pause"} />
      </Button>
    </>
  );
}
