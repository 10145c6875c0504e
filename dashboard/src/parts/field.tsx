/** Fields of a form, each with its name above and a hint below. */
import type { ComponentChildren } from "preact";

interface FieldProps {
  readonly name: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: ComponentChildren;
}

interface TextFieldProps extends FieldProps {
  readonly placeholder?: string;
  readonly isMono?: boolean;
  readonly isOptional?: boolean;
  /** One begins to type here when the form is shown. */
  readonly hasFocus?: boolean;
  /** A number from this one on. */
  readonly least?: number;
}

export function TextField(props: TextFieldProps) {
  const { name, value, onInput, hint, placeholder, isMono, isOptional, least } = props;
  return (
    <label class="field">
      <span>{name}</span>
      <input
        ref={props.hasFocus === true ? focusFirst : null}
        class={isMono === true ? "input mono" : "input"}
        {...(least === undefined ? {} : { type: "number" as const, min: least })}
        required={isOptional !== true}
        value={value}
        placeholder={placeholder}
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {hint === undefined ? null : <span class="hint">{hint}</span>}
    </label>
  );
}

/** Where the page shows it, and where a dialog opens around it, which looks for this attribute. */
function focusFirst(input: HTMLInputElement | null): void {
  input?.setAttribute("autofocus", "");
  input?.focus();
}

export interface Option {
  readonly value: string;
  readonly words: string;
}

interface SelectFieldProps extends FieldProps {
  readonly options: readonly Option[];
}

export function SelectField({ name, value, options, onInput, hint }: SelectFieldProps) {
  return (
    <label class="field">
      <span>{name}</span>
      <select class="input" value={value} onChange={(event) => onInput(event.currentTarget.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.words}
          </option>
        ))}
      </select>
      {hint === undefined ? null : <span class="hint">{hint}</span>}
    </label>
  );
}

interface AreaFieldProps extends FieldProps {
  readonly rows: number;
  readonly placeholder?: string;
}

export function AreaField({ name, value, rows, onInput, hint, placeholder }: AreaFieldProps) {
  return (
    <label class="field">
      <span>{name}</span>
      <textarea
        class="input"
        rows={rows}
        value={value}
        placeholder={placeholder}
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {hint === undefined ? null : <span class="hint">{hint}</span>}
    </label>
  );
}
