/** Whether new rows come by themselves, and a way to hold them. */
import { heardAt, liveBy } from "../app/live.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { Time } from "./time.tsx";

interface LiveButtonProps {
  readonly isPaused: boolean;
  readonly onPress: () => void;
}

export function LiveButton({ isPaused, onPress }: LiveButtonProps) {
  return (
    <>
      {liveBy.value === "polling" ? (
        <span class="soft small hide-s">
          Updated <Time at={heardAt.value} form="sentence" />
        </span>
      ) : null}
      <Button
        isPressed={!isPaused}
        onPress={onPress}
        label={isPaused ? "Paused, resume the tail (space)" : "Live, pause the tail (space)"}
      >
        <span class={isPaused ? "dot" : "dot live"} />
        {isPaused ? "Paused" : "Live"}
        <Icon name={isPaused ? "play" : "pause"} />
      </Button>
    </>
  );
}
