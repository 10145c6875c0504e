/** A button that cannot act now stays in place and says why. */
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

export interface ButtonProps {
  readonly onPress: () => void;
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
  const isIconOnly = children === undefined;
  const classes = ["btn", kind, isSmall ? "s" : "", isIconOnly ? "icon" : "", props.class ?? ""];
  return (
    <button
      type="button"
      class={classes.filter(Boolean).join(" ")}
      aria-label={label}
      title={whyNot ?? label}
      aria-disabled={whyNot === null ? undefined : "true"}
      aria-pressed={props.isPressed}
      onClick={() => whyNot === null && props.onPress()}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
      {shortcut === undefined ? null : <kbd>{shortcut}</kbd>}
    </button>
  );
}
