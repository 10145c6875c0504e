/** Where a schedule sends, what, and with which settings. */
import { AreaField, SelectField, TextField } from "../parts/field.tsx";
import type { ScheduleDraft } from "./schedule-request.ts";

interface ScheduleFieldsProps {
  readonly draft: ScheduleDraft;
  /** One a line. */
  readonly headers: string;
  /** The id of an existing one cannot be changed. */
  readonly isNew: boolean;
  readonly onChange: (changes: Partial<ScheduleDraft>) => void;
  readonly onHeaders: (text: string) => void;
}

export function ScheduleFields(props: ScheduleFieldsProps) {
  const { draft, headers, isNew, onChange, onHeaders } = props;
  return (
    <>
      {isNew ? (
        <TextField
          name="Id"
          value={draft.id}
          placeholder="generated if empty"
          isOptional
          onInput={(id) => onChange({ id })}
        />
      ) : null}
      <div class="send-to">
        <SelectField
          name="Method"
          value={draft.method}
          options={METHODS.map((method) => ({ value: method, words: method }))}
          onInput={(method) => onChange({ method })}
        />
        <TextField
          name="Destination"
          value={draft.destination}
          placeholder="https://example.com/hook, or a URL group"
          isMono
          onInput={(destination) => onChange({ destination })}
        />
      </div>
      <AreaField name="Body" rows={3} value={draft.body} onInput={(body) => onChange({ body })} />
      <AreaField
        name="Headers, one a line"
        rows={3}
        value={headers}
        onInput={onHeaders}
        hint={
          <>
            <code>Svc-Retries: 5</code>, <code>Svc-Queue-Name: reports</code> and the others set how
            it is sent.
          </>
        }
      />
    </>
  );
}

const METHODS = ["POST", "GET", "PUT", "PATCH", "DELETE"];
