/** A new schedule, or one to change. What the expression means, and when it runs, is said while one types. */
import { useEffect, useState } from "preact/hooks";
import type { CronTimes, Schedule } from "../../../sdk/src/answers/schedule.ts";
import { ApiError, call, withQuery } from "../app/api.ts";
import { serverNow } from "../app/clock.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { Segmented } from "../parts/segmented.tsx";
import { announce, announceFailure } from "../app/announce.ts";
import { headerPairs, headerLines } from "../parts/header-lines.ts";
import { curlOf } from "../message/commands.ts";
import { copyCommand } from "../message/copy-command.ts";
import { cronWords } from "./cron-words.ts";
import { nextSentence } from "./next-times.tsx";
import { ScheduleFields } from "./schedule-fields.tsx";
import {
  draftOf,
  EMPTY_DRAFT,
  requestHeaders,
  saveSchedule,
  type ScheduleDraft,
} from "./schedule-request.ts";
import { offsetText, ownZone, placeOf, splitZone, withZone, zonesKnown } from "./zone.ts";

interface ScheduleDialogProps {
  /** Absent when it is new. */
  readonly schedule?: Schedule;
  readonly onClose: () => void;
  /** Leads to a new schedule. */
  readonly onSaved?: (id: string) => void;
}

export function ScheduleDialog({ schedule, onClose, onSaved }: ScheduleDialogProps) {
  const start = schedule === undefined ? EMPTY_DRAFT : draftOf(schedule);
  const [draft, setDraft] = useState<ScheduleDraft>(start);
  const [headers, setHeaders] = useState(headerLines(start.headers));
  const change = (changes: Partial<ScheduleDraft>): void => setDraft({ ...draft, ...changes });
  const whole = (): ScheduleDraft => ({
    ...draft,
    id: draft.id.trim(),
    destination: draft.destination.trim(),
    headers: headerPairs(headers),
  });
  const save = async (): Promise<void> => {
    const id = await saveSchedule(whole());
    announce(schedule === undefined ? `Schedule ${id} is created.` : `Schedule ${id} is saved.`);
    onSaved?.(id);
  };
  const curl = (): void => {
    try {
      const { destination, body } = whole();
      const url = `${window.location.origin}/v2/schedules/${destination}`;
      void copyCommand((token) => curlOf(url, token, requestHeaders(whole()), body));
    } catch (error) {
      announceFailure("Nothing was copied.", error);
    }
  };
  const hasCallback = schedule?.callback !== undefined || schedule?.failureCallback !== undefined;
  return (
    <Dialog
      title={schedule === undefined ? "New schedule" : `Edit ${schedule.scheduleId}`}
      confirm={schedule === undefined ? "Create schedule" : "Save schedule"}
      cancel="Close"
      isWide
      onConfirm={save}
      onClose={onClose}
      beside={
        <Button isSmall kind="quiet" icon="terminal" onPress={curl}>
          Copy as curl
        </Button>
      }
    >
      <CronInput cron={draft.cron} onCron={(cron) => change({ cron })} />
      <ScheduleFields
        draft={draft}
        headers={headers}
        isNew={schedule === undefined}
        onChange={change}
        onHeaders={setHeaders}
      />
      {hasCallback ? (
        <p class="hint">
          The server does not show method, retries and limits of a callback. Saving sets those to
          their defaults, unless you add their headers.
        </p>
      ) : null}
    </Dialog>
  );
}

interface CronInputProps {
  readonly cron: string;
  readonly onCron: (cron: string) => void;
}

function CronInput({ cron, onCron }: CronInputProps) {
  const { zone, fields } = splitZone(cron);
  const own = ownZone();
  const now = serverNow();
  return (
    <>
      <div class="row">
        <Segmented
          label="Start from"
          value={PRESETS.find(({ value }) => value === fields)?.value ?? ""}
          options={PRESETS}
          onChoose={(preset) => onCron(withZone(zone, preset))}
        />
      </div>
      <FieldsInput fields={fields} onFields={(next) => onCron(withZone(zone, next))} />
      <Preview cron={cron} />
      <SelectField
        name="Time zone"
        value={zone}
        options={[...new Set([zone, ...zonesKnown(own)])].map((name) => ({
          value: name,
          words: `${name === "UTC" ? "UTC" : `${name}, ${offsetText(now, name)}`}${name === own ? " (yours)" : ""}`,
        }))}
        onInput={(next) => onCron(withZone(next, fields))}
      />
    </>
  );
}

interface FieldsInputProps {
  readonly fields: string;
  readonly onFields: (fields: string) => void;
}

/** Five fields side by side; anything else, such as `@daily`, as one text. */
function FieldsInput({ fields, onFields }: FieldsInputProps) {
  const parts = fields.split(/\s+/);
  if (parts.length !== FIELD_NAMES.length) {
    return <TextField name="Cron expression" value={fields} isMono onInput={onFields} />;
  }
  return (
    <div class="crons" role="group" aria-label="Cron expression">
      {FIELD_NAMES.map((name, index) => (
        <label key={name}>
          <input
            class="input"
            value={parts[index]}
            spellcheck={false}
            onInput={({ currentTarget: { value } }) =>
              onFields(parts.with(index, value.replaceAll(/\s+/g, "") || "*").join(" "))
            }
          />
          <small>{name}</small>
        </label>
      ))}
    </div>
  );
}

/** What the server makes of it: words and next times, or its refusal. */
function Preview({ cron }: { readonly cron: string }) {
  const [answer, setAnswer] = useState<CronTimes | { refusal: string } | null>(null);
  useEffect(() => {
    const gone = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        const path = withQuery("/v2/cron/preview", { cron, count: 2 });
        setAnswer(await call<CronTimes>(path, { signal: gone.signal }));
      } catch (error) {
        if (error instanceof ApiError) setAnswer({ refusal: error.message });
      }
    };
    const timer = setTimeout(() => void ask(), TYPING_MS);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [cron]);
  if (answer !== null && "refusal" in answer) {
    return (
      <p class="notice" role="status">
        <Icon name="alert" />
        <span class="grow">{answer.refusal}</span>
      </p>
    );
  }
  const { zone } = splitZone(cron);
  const words = cronWords(cron) ?? "…";
  return (
    <p class="notice infobg" role="status">
      <Icon name="check" />
      <span class="grow">
        <b>
          {words}, {zone === "UTC" ? "UTC" : `in ${placeOf(zone)}`}.
        </b>
        <br />
        <span class="soft">
          {answer === null ? "…" : nextSentence(cron, answer.times, serverNow())}
        </span>
      </span>
    </p>
  );
}

const TYPING_MS = 250;
const FIELD_NAMES = ["minute", "hour", "day", "month", "weekday"];
const PRESETS = [
  { value: "*/5 * * * *", name: "Every 5 min" },
  { value: "0 * * * *", name: "Hourly" },
  { value: "0 9 * * *", name: "Daily" },
  { value: "0 9 * * MON-FRI", name: "Weekdays" },
  { value: "0 6 1 * *", name: "Monthly" },
];
