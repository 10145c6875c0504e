/** When many things are done: all at once, or spread over a time. */
import { type Option, SelectField } from "./field.tsx";

interface SpreadFieldProps {
  /** As `10m`; empty for all at once. */
  readonly value: string;
  readonly onInput: (value: string) => void;
}

export function SpreadField({ value, onInput }: SpreadFieldProps) {
  return <SelectField name="When" value={value} options={SPREADS} onInput={onInput} />;
}

const SPREADS: readonly Option[] = [
  { value: "", words: "All at once" },
  { value: "10m", words: "Spread over 10 min" },
  { value: "1h", words: "Spread over 1 h" },
  { value: "6h", words: "Spread over 6 h" },
];
