/** The bar on top of a screen: where one is, its heading, and what can be done. */
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";

interface BarProps {
  /** The title of the window. */
  readonly title: string;
  readonly heading?: ComponentChildren;
  readonly parent?: { readonly name: string; readonly href: string };
  /** Beside the heading: a chip or a count. */
  readonly beside?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function Bar({ title, heading = title, parent, beside, children }: BarProps) {
  useEffect(() => {
    document.title = `${title} · Postrider`;
  }, [title]);
  return (
    <header class="bar">
      {parent === undefined ? null : (
        <>
          <a class="btn quiet icon back" href={parent.href} aria-label={`Back to ${parent.name}`}>
            <Icon name="right" />
          </a>
          <a class="crumb hide-s" href={parent.href}>
            {parent.name}
          </a>
          <span class="crumb hide-s" aria-hidden="true">
            /
          </span>
        </>
      )}
      <h1 tabIndex={-1} class="cut" title={title}>
        {heading}
      </h1>
      {beside}
      <div class="acts">{children}</div>
    </header>
  );
}
