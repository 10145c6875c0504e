/** One of a few: pressed buttons side by side. */
interface SegmentedProps<Value extends string> {
  readonly label: string;
  readonly options: readonly {
    readonly value: Value;
    readonly name: string;
    readonly count?: number | undefined;
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
          onClick={() => onChoose(option.value)}
        >
          {option.name}
          {option.count === undefined ? null : (
            <span class="num"> {option.count.toLocaleString("en-US")}</span>
          )}
        </button>
      ))}
    </div>
  );
}
