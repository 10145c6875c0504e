/** Nothing is here: a sentence, what one might want to know, and one thing to do. */
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface BlankProps {
  readonly icon?: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}

export function Blank({ icon = "search", title, children }: BlankProps) {
  return (
    <div class="pad blank">
      <Icon name={icon} />
      <b>{title}</b>
      {children}
    </div>
  );
}
