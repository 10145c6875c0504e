/** A sentence that the reader should not miss, with what they can do. */
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface NoticeProps {
  readonly tone?: "bad" | "warn" | "info";
  readonly icon?: IconName;
  readonly title: ComponentChildren;
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
}

export function Notice({ tone = "bad", icon = "alert", title, children, actions }: NoticeProps) {
  const ground = { bad: "", warn: "warnbg", info: "infobg" }[tone];
  return (
    <div class={`notice ${ground}`} role="status">
      <Icon name={icon} />
      <p class="grow">
        <b>{title}</b> {children}
      </p>
      {actions === undefined ? null : <div class="acts">{actions}</div>}
    </div>
  );
}
