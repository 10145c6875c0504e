/** A button that cannot act now stays in place and says why. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

export interface ButtonProps {
  /** Until what it returns has ended, the button waits. */
  readonly onPress: () => Promise<void> | void;
  readonly children?: ComponentChildren;
  readonly icon?: IconName | undefined;
  /** For the accessible name and the tooltip of a button without words. */
  readonly label?: string | undefined;
  readonly kind?: "primary" | "danger" | "quiet" | "" | undefined;
  readonly isSmall?: boolean | undefined;
  /** The key that presses it. */
  readonly shortcut?: string | undefined;
  /** Why it cannot act now. */
  readonly whyNot?: string | null | undefined;
  readonly class?: string | undefined;
  readonly isPressed?: boolean | undefined;
}

export function Button(props: ButtonProps) {
  const { children, icon, label, kind = "", isSmall = false, shortcut, whyNot = null } = props;
  const { isBusy, press } = usePress(props);
  const isOff = isBusy || whyNot !== null;
  const isIconOnly = children === undefined;
  const classes = ["btn", kind, isSmall ? "s" : "", isIconOnly ? "icon" : "", props.class ?? ""];
  return (
    <button
      type="button"
      class={classes.filter(Boolean).join(" ")}
      aria-label={label}
      title={whyNot ?? label}
      aria-disabled={isOff ? "true" : undefined}
      aria-busy={isBusy ? "true" : undefined}
      aria-pressed={props.isPressed}
      onClick={press}
      onKeyDown={ignoreHeld}
    >
      {isBusy ? <span class="spin" aria-hidden="true" /> : null}
      {icon === undefined || isBusy ? null : <Icon name={icon} />}
      {children}
      {shortcut === undefined ? null : <kbd>{shortcut}</kbd>}
    </button>
  );
}

function usePress({ onPress, whyNot = null }: ButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const press = ({ detail }: MouseEvent): void => {
    // The second click of two may meet another button than the first, on the page that it opened.
    if (isBusy || whyNot !== null || detail > 1) return;
    const pressed = onPress();
    if (pressed === undefined) return;
    setBusy(true);
    void pressed.finally(() => setBusy(false));
  };
  return { isBusy, press };
}

/** A held Enter presses once. */
function ignoreHeld(event: KeyboardEvent): void {
  if (event.repeat && event.key === "Enter") event.preventDefault();
}
