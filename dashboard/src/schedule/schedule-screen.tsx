/** One schedule: its next times in both zones, its last messages, and what it sends. */
import { useState } from "preact/hooks";
import type { CronTimes, Schedule } from "../../../sdk/src/answers/schedule.ts";
import { announce } from "../app/announce.ts";
import { call, withQuery } from "../app/api.ts";
import { second } from "../app/clock.ts";
import { counted } from "../app/format.ts";
import { useKeys } from "../app/keys.ts";
import { useResource } from "../app/resource.ts";
import { navigate } from "../app/router.ts";
import type { ScreenProps } from "../app/screen-props.ts";
import { isReadOnly } from "../app/session.ts";
import { Blank } from "../parts/blank.tsx";
import { Button } from "../parts/button.tsx";
import { Chip } from "../parts/chip.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { LoadProblem } from "../parts/load-problem.tsx";
import { Notice } from "../parts/notice.tsx";
import { Bar } from "../shell/bar.tsx";
import { CommonNotices } from "../shell/shell.tsx";
import { cronWords } from "./cron-words.ts";
import { LastTicks } from "./last-ticks.tsx";
import { NextTimes } from "./next-times.tsx";
import { runNow, schedulePath, setPaused } from "./schedule.ts";
import { ScheduleDialog } from "./schedule-dialog.tsx";
import { SchedulePayload } from "./schedule-payload.tsx";
import { whyNoEdit } from "./schedule-request.ts";
import { ownZone, placeOf, splitZone, wallText } from "./zone.ts";

export function ScheduleScreen({ id }: ScreenProps) {
  const schedule = useResource<Schedule>(schedulePath(id), 15_000);
  useKeys({ Escape: () => navigate("/schedules") });
  if (schedule.isMissing) return <Gone id={id} />;
  const { value } = schedule;
  return (
    <>
      <Bar
        title={id}
        parent={{ name: "Schedules", href: "/schedules" }}
        beside={value?.isPaused === true ? <Chip isBig state="paused" /> : null}
      >
        {value === null || isReadOnly.value ? null : <ScheduleActions schedule={value} />}
      </Bar>
      <div class="body">
        <CommonNotices />
        <LoadProblem of={schedule} what="the schedule" />
        {value === null ? null : <Loaded schedule={value} onNews={schedule.reload} />}
      </div>
    </>
  );
}

interface ScheduleActionsProps {
  readonly schedule: Schedule;
}

function ScheduleActions({ schedule }: ScheduleActionsProps) {
  const { scheduleId, isPaused } = schedule;
  const [open, setOpen] = useState<"edit" | "delete" | null>(null);
  const whyNot = whyNoEdit(schedule);
  const close = (): void => setOpen(null);
  const run = (): Promise<void> => runNow(scheduleId);
  useKeys({ e: () => whyNot === null && setOpen("edit"), r: () => void run() });
  return (
    <>
      <Button kind="quiet" icon="trash" onPress={() => setOpen("delete")}>
        Delete…
      </Button>
      <Button icon="edit" whyNot={whyNot} onPress={() => setOpen("edit")}>
        Edit
      </Button>
      <Button icon={isPaused ? "play" : "pause"} onPress={() => setPaused(scheduleId, !isPaused)}>
        {isPaused ? "Resume" : "Pause"}
      </Button>
      <Button kind="primary" icon="message" shortcut="r" onPress={run}>
        Run now
      </Button>
      {open === "edit" ? <ScheduleDialog schedule={schedule} onClose={close} /> : null}
      {open === "delete" ? <DeleteDialog id={scheduleId} onClose={close} /> : null}
    </>
  );
}

function DeleteDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const remove = async (): Promise<void> => {
    await call(schedulePath(id), { method: "DELETE" });
    announce(`Schedule ${id} is deleted.`);
    navigate("/schedules");
  };
  return (
    <Dialog
      title={`Delete schedule ${id}?`}
      confirm="Delete schedule"
      cancel="Keep it"
      isDanger
      onConfirm={remove}
      onClose={onClose}
    >
      <p class="soft">
        It runs no more. Messages that it has sent are still delivered, and stay in the log. To stop
        it for a while, pause it.
      </p>
    </Dialog>
  );
}

function Loaded({ schedule, onNews }: ScheduleActionsProps & { readonly onNews: () => void }) {
  const { cron, error, skipped, isPaused } = schedule;
  const { zone, fields } = splitZone(cron);
  const preview = useResource<CronTimes>(withQuery("/v2/cron/preview", { cron, count: 5 }), 60_000);
  const where = zone === "UTC" ? "UTC" : placeOf(zone);
  return (
    <>
      {error === undefined ? null : (
        <Notice title="The last tick sent nothing.">{error}. The next tick tries again.</Notice>
      )}
      {skipped === undefined ? null : (
        <Notice tone="warn" title={`${counted(skipped.count, "tick")} missed.`}>
          No server ran between {wallText(skipped.firstScheduleTime, ownZone(), second.peek())} and{" "}
          {wallText(skipped.lastScheduleTime, ownZone(), second.peek())}.
        </Notice>
      )}
      <div class="cols c2 stretch">
        <article class="card">
          <header class="long">
            <h2>{cronWords(cron) ?? cron}</h2>
            <span class="muted hide-s">{where}</span>
            <div class="acts">
              <code class="muted nowrap">{fields}</code>
            </div>
          </header>
          <div class="pad">
            {preview.value === null ? (
              <svg class="skel" width="70%" aria-hidden="true" />
            ) : (
              <NextTimes cron={cron} times={preview.value.times} isPaused={isPaused} />
            )}
          </div>
        </article>
        <SchedulePayload schedule={schedule} />
      </div>
      <LastTicks schedule={schedule} onNews={onNews} />
    </>
  );
}

function Gone({ id }: { readonly id: string }) {
  return (
    <>
      <Bar title="Schedule" parent={{ name: "Schedules", href: "/schedules" }} />
      <div class="body">
        <CommonNotices />
        <div class="card">
          <Blank icon="clock" title="This schedule is not here">
            <span class="soft">
              <code>{id}</code> is unknown, of another account, or was deleted.
            </span>
            <a class="btn s" href="/schedules">
              See all schedules
            </a>
          </Blank>
        </div>
      </div>
    </>
  );
}
