/** One of a few: pressed buttons side by side. */
import { shortCount } from "../app/format.ts";

interface SegmentedProps<Value extends string> {
  readonly label: string;
  readonly options: readonly {
    readonly value: Value;
    readonly name: string;
    readonly count?: number | undefined;
    readonly isAbout?: boolean | undefined;
    /** What is counted. */
    readonly says?: string | undefined;
  }[];
  readonly value: Value;
  readonly onChoose: (value: Value) => void;
}

export function Segmented<Value extends string>({
  label,
  options,
  value,
  onChoose,
}: SegmentedProps<Value>) {
  return (
    <div class="seg" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          type="button"
          key={option.value}
          aria-pressed={option.value === value}
          title={option.says}
          onClick={() => onChoose(option.value)}
        >
          {option.name}
          {option.count === undefined ? null : (
            <span class="num">
              {" "}
              {shortCount(option.count)}
              {option.isAbout === true ? "+" : ""}
            </span>
          )}
        </button>
      ))}
    </div>
  );
}
