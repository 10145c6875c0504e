/** The server does not answer: says so, since when what is shown is old, and tries again. */
import { useEffect, useState } from "preact/hooks";
import { call } from "../app/api.ts";
import { second, serverNow } from "../app/clock.ts";
import { clockText } from "../app/format.ts";
import { noteReached, unreachableSince } from "../app/reachable.ts";
import { Button } from "../parts/button.tsx";
import { Notice } from "../parts/notice.tsx";

export function Unreachable() {
  const since = unreachableSince.value;
  const [tryAt, setTryAt] = useState(0);
  const attempt = (): void => {
    setTryAt(serverNow() + EVERY_MS);
    call("/readyz").then(noteReached, (error: unknown) => {
      if ((error as { status?: number }).status !== 0) noteReached();
    });
  };
  useEffect(() => {
    if (since === null) return undefined;
    setTryAt(serverNow() + EVERY_MS);
    const timer = setInterval(attempt, EVERY_MS);
    return () => clearInterval(timer);
  }, [since === null]);
  if (since === null) return null;
  const left = Math.max(0, Math.ceil((tryAt - second.value) / 1_000));
  return (
    <Notice
      icon="unplug"
      title="Cannot reach the server."
      actions={
        <Button isSmall onPress={attempt}>
          Try now
        </Button>
      }
    >
      Trying again in {left} s. What you see is from {clockText(since, serverNow())}.
    </Notice>
  );
}

const EVERY_MS = 5_000;
