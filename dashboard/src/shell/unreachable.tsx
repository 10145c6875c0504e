/** The server does not answer: says so, since when what is shown is old, and tries again. */
import { second, serverNow } from "../app/clock.ts";
import { clockText } from "../app/format.ts";
import { unreachableSince } from "../app/reachable.ts";
import { useResource } from "../app/resource.ts";
import { Button } from "../parts/button.tsx";
import { Notice } from "../parts/notice.tsx";

export function Unreachable() {
  const since = unreachableSince.value;
  const { askedAt, reload } = useResource(since === null ? null : "/readyz", EVERY_MS);
  if (since === null) return null;
  const tryAt = (askedAt ?? second.value) + EVERY_MS;
  const left = Math.max(0, Math.ceil((tryAt - second.value) / 1_000));
  return (
    <Notice
      icon="unplug"
      title="Cannot reach the server."
      actions={
        <Button isSmall onPress={reload}>
          Try now
        </Button>
      }
    >
      Trying again in {left} s. What you see is from {clockText(since, serverNow())}.
    </Notice>
  );
}

const EVERY_MS = 5_000;
