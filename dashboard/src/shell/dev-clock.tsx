/** The clock of dev, which the reader puts forward to see what happens later. */
import { useState } from "preact/hooks";
import type { ClockLeap, DevClock } from "../../../sdk/src/answers/dev.ts";
import { announce } from "../app/announce.ts";
import { call } from "../app/api.ts";
import { roughText } from "../app/format.ts";
import { useResource } from "../app/resource.ts";
import { isReadOnly, session } from "../app/session.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { Segmented } from "../parts/segmented.tsx";

export function DevClockRow() {
  const isDev = session.value?.isDev === true && session.value.kind === "account";
  const clock = useResource<DevClock>(isDev ? "/dev/clock" : null, 15_000);
  const [isOpen, setOpen] = useState(false);
  if (!isDev || clock.isMissing) return null;
  const aheadMs = clock.value?.aheadMs ?? 0;
  const ahead = aheadMs === 0 ? "Clock" : `Clock ${roughText(aheadMs)} ahead`;
  return (
    <div class="row">
      <Button
        isSmall
        kind="quiet"
        icon="clock"
        label={`${ahead}: put it forward`}
        whyNot={isReadOnly.value ? "You are signed in with a read-only token." : null}
        onPress={() => setOpen(true)}
      >
        <span>{ahead}</span>
      </Button>
      {isOpen ? <ClockDialog aheadMs={aheadMs} onClose={() => setOpen(false)} /> : null}
    </div>
  );
}

interface ClockDialogProps {
  readonly aheadMs: number;
  readonly onClose: () => void;
}

function ClockDialog({ aheadMs, onClose }: ClockDialogProps) {
  const [duration, setDuration] = useState("1h");
  const advance = async (): Promise<void> => {
    const body = { advance: duration.trim() };
    const leap = await call<ClockLeap>("/dev/clock", { method: "POST", body });
    announce(
      leap.isSettled
        ? `The clock is ${roughText(leap.aheadMs)} ahead, and what came due is done.`
        : `The clock is ${roughText(leap.aheadMs)} ahead. Not all that came due is done yet.`,
    );
  };
  return (
    <Dialog
      title="Put the clock forward"
      confirm={`Put forward by ${duration.trim() || "…"}`}
      cancel="Close"
      onConfirm={advance}
      onClose={onClose}
    >
      <div>
        <Segmented label="By" value={duration} options={STEPS} onChoose={setDuration} />
      </div>
      <TextField
        name="By"
        value={duration}
        hint="Such as 90s, 2h or 1d12h."
        onInput={setDuration}
      />
      <p class="hint">
        Delays, retries, schedules, sleeps, waits, rates and retention follow it.{" "}
        {aheadMs === 0
          ? "It goes only forward, until the server is restarted."
          : `It is ${roughText(aheadMs)} ahead, until the server is restarted.`}
      </p>
    </Dialog>
  );
}

const STEPS = [
  { value: "1m", name: "1 min" },
  { value: "1h", name: "1 hour" },
  { value: "1d", name: "1 day" },
  { value: "7d", name: "7 days" },
];
