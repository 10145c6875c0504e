/** What has no room beside the heading: a button with a menu, below the width at which the others are hidden. */
import { useRef } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

export interface OverflowItem {
  readonly name: string;
  readonly icon: IconName;
  readonly onPress: () => void;
  /** Why it cannot act now. */
  readonly whyNot?: string | null;
  /** It has its own button at medium width. */
  readonly isNarrow?: boolean;
}

export function OverflowMenu({ items }: { readonly items: readonly OverflowItem[] }) {
  const details = useRef<HTMLDetailsElement>(null);
  const isWideToo = items.some(({ isNarrow = false }) => !isNarrow);
  return (
    <details ref={details} class={`overflow ${isWideToo ? "only-m" : "only-narrow"}`}>
      <summary class="btn icon" aria-label="More actions" title="More actions">
        <Icon name="more" />
      </summary>
      <div class="sheet">
        {items.map(({ name, icon, onPress, whyNot = null, isNarrow = false }) => (
          <button
            key={name}
            type="button"
            class={`btn quiet ${isNarrow ? "only-narrow" : ""}`}
            title={whyNot ?? undefined}
            aria-disabled={whyNot === null ? undefined : "true"}
            onClick={() => {
              if (whyNot !== null) return;
              details.current?.removeAttribute("open");
              onPress();
            }}
          >
            <Icon name={icon} />
            {name}
          </button>
        ))}
      </div>
    </details>
  );
}
